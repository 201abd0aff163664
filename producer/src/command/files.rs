//! Reading programs and certificates, and writing so that a file is either old or new.

use super::Failed;
use crate::abstraction::{Abstraction, Stated};
use crate::frontend::{self, c::Options};
use crate::instances::Instances;
use crate::report;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use threadproof_format::limits::MAX_BYTES;
use threadproof_format::program::{Program, Template};
use threadproof_format::proof::Certificate;

/// A program with its statement.
pub(crate) struct Source {
    /// The program.
    pub program: Program,
    /// Its core form.
    pub core: String,
    /// The source line of each edge, by template and edge; empty for a core form.
    pub notes: Vec<Vec<String>>,
    /// Its invariants and hints.
    pub clauses: Vec<frontend::Clause>,
    /// Programs of which the first abstracts it, and each further one the one before.
    pub layers: Vec<Abstraction>,
}

impl Source {
    /// The program with its core form.
    pub fn stated(&self) -> Stated {
        let (program, core, notes) = (self.program.clone(), self.core.clone(), self.notes.clone());
        Stated { program, core, notes }
    }

    /// The same with exactly so many threads of each template of many, if a number is given.
    pub fn exactly(self, count: Option<u32>) -> Result<Source, Failed> {
        let Some(count) = count else { return Ok(self) };
        if !self.program.templates.iter().any(Template::is_many) {
            return Err(Failed::Said("no thread is declared with `[*]`".to_owned()));
        }
        let instances = Instances::new(&self.program, count);
        let assumptions = instances.assumptions();
        let Stated { program, core, notes } = instances.stated(&self.notes, &assumptions);
        let clauses = instances.clauses(&self.clauses);
        let layers = self.layers.iter().map(|layer| {
            let instances = Instances::new(&layer.stated.program, count);
            Abstraction {
                stated: instances.stated(&layer.stated.notes, &assumptions),
                clauses: instances.clauses(&layer.clauses),
                invariants: instances.invariants(&layer.invariants),
            }
        });
        let layers = layers.collect();
        Ok(Source { program, core, notes, clauses, layers })
    }
}

impl From<frontend::Lowered> for Source {
    fn from(lowered: frontend::Lowered) -> Self {
        let core = lowered.core_form();
        let frontend::Lowered { program, notes, clauses, layers } = lowered;
        let layers = layers.into_iter().map(Abstraction::from).collect();
        Source { program, core, notes, clauses, layers }
    }
}

/// Reads a file of at most `MAX_BYTES` (and one byte more, which is then over the limit).
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failed> {
    let name = |error: std::io::Error| Failed::Said(format!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(name)?;
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(name)?;
    Ok(bytes)
}

/// Reads a file of text.
pub(crate) fn read_text(path: &Path) -> Result<String, Failed> {
    let text = String::from_utf8(read(path)?);
    text.map_err(|_| Failed::Said(format!("{}: the text is not UTF-8", path.display())))
}

/// Reads a program: `.tp`, `.c` or `.i` (C that is preprocessed), or `.core` for the core form itself.
pub(crate) fn source(path: &Path) -> Result<Source, Failed> {
    source_in(path, &Options::default())
}

/// As [`source`], with how C programs are taken.
pub(crate) fn source_in(path: &Path, options: &Options) -> Result<Source, Failed> {
    let name = path.display().to_string();
    let kind = path.extension().and_then(|e| e.to_str());
    if !options.checks.is_empty() && !matches!(kind, Some("c" | "i")) {
        return Err(Failed::Said(format!("{name}: --check is for C programs (.c or .i)")));
    }
    match kind {
        Some("tp") => {
            let text = read_text(path)?;
            Ok(frontend::tp::lower(&name, &text).map_err(Failed::Diagnosed)?.into())
        }
        Some(kind @ ("c" | "i")) => {
            let text = match kind {
                "c" => frontend::c::preprocess(path, options.data_model)
                    .map_err(|e| Failed::Said(format!("{name}: {e}")))?,
                _ => read_text(path)?,
            };
            frontend::c::warnings(path, &text).iter().for_each(|warning| eprintln!("{warning}"));
            let lowered = frontend::c::lower(&name, &text, options.clone());
            Ok(lowered.map_err(Failed::Diagnosed)?.into())
        }
        Some("core") => {
            let core = read_text(path)?;
            let parsed = threadproof_checker::internals::core_form::parse(&core);
            let (program, _) = parsed.map_err(|e| Failed::Said(format!("{name}: {e}")))?;
            let (notes, clauses, layers) = Default::default();
            Ok(Source { program, core, notes, clauses, layers })
        }
        _ => Err(Failed::Said(format!("{name}: a program's name ends in .tp, .c, .i or .core"))),
    }
}

/// A certificate as it stands, not checked, with the program of its statement.
pub(crate) struct Shown {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// What they say.
    pub certificate: Certificate,
    /// The statement's program.
    pub program: Program,
    /// The programs of its layers.
    pub layers: Vec<Program>,
}

impl Shown {
    /// The program that the proof is about.
    pub fn proved(&self) -> &Program {
        self.layers.last().unwrap_or(&self.program)
    }
}

/// Reads a certificate whose statement is the program that it names.
pub(crate) fn stated(path: &Path) -> Result<Shown, Failed> {
    let bytes = read(path)?;
    let certificate = threadproof_checker::decode(&bytes)?;
    let (program, digest) =
        threadproof_checker::internals::core_form::parse(&certificate.statement)?;
    if digest != certificate.program {
        return Err(Failed::Said("the certificate's statement has another digest".to_owned()));
    }
    let layers = certificate.layers.iter().map(|layer| layer.statement.as_str());
    let layers = layers.map(|text| Ok(threadproof_checker::internals::core_form::parse(text)?.0));
    let layers = layers.collect::<Result<_, Failed>>()?;
    Ok(Shown { bytes, certificate, program, layers })
}

/// Writes a file by way of a temporary one beside it, so that whoever is killed, or finds no room, leaves the old file.
/// A link stays, and the file that it leads to is written; what is no file (a device, a pipe) is written as it is.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    let name = |error: std::io::Error| Failed::Said(format!("{}: {error}", path.display()));
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => {
            replace(&path.canonicalize().map_err(name)?, bytes, &found.permissions()).map_err(name)
        }
        Ok(_) => {
            let file = std::fs::File::options().write(true).open(path);
            file.and_then(|mut file| file.write_all(bytes)).map_err(name)
        }
        Err(_) => replace(path, bytes, &std::fs::Permissions::from_mode(NEW_FILE)).map_err(name),
    }
}

/// The permissions of a new file, but for those that the user's mask takes away.
const NEW_FILE: u32 = 0o666;

fn replace(path: &Path, bytes: &[u8], permissions: &std::fs::Permissions) -> std::io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Made and written so that an error does not name the temporary file.
    let open = |path: &Path| {
        let mut options = std::fs::File::options();
        options.write(true).create_new(true).mode(permissions.mode()).open(path)
    };
    let mut file = tempfile::Builder::new().make_in(folder, open)?;
    file.as_file_mut().write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Prints to standard output; a closed pipe is an error.
pub(crate) fn print(text: &str) -> Result<(), Failed> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Says on standard error why there is no answer. That nobody reads it changes nothing.
pub(crate) fn complain(text: &str) {
    let lines = text.trim_end().lines().map(|line| format!("{}\n", report::visible(line)));
    let _ = std::io::stderr().write_all(lines.collect::<String>().as_bytes());
}
