//! Reading sources and certificates, and writing so that a file is either old or new.

use super::Failed;
use crate::frontend::{self, Options};
use crate::report;
use crate::source::Source;
use crate::text::file::{self, FileError};
use crate::transform::instances::Instances;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use threadproof_format::program::{Program, Template};
use threadproof_format::proof::Certificate;

/// Reads a program without options of its front end.
pub(crate) fn source(path: &Path) -> Result<Source, Failed> {
    Ok(frontend::read(path, &Options::default())?)
}

/// Reads a program, with exactly so many threads of each template of many, if a number is given.
pub(crate) fn source_of(
    path: &Path,
    options: &Options,
    exactly: Option<u32>,
) -> Result<Source, Failed> {
    instances(frontend::read(path, options)?, exactly)
}

/// A source with exactly so many threads of each template of many, if a number is given.
pub(crate) fn instances(source: Source, exactly: Option<u32>) -> Result<Source, Failed> {
    let Some(count) = exactly else { return Ok(source) };
    if !source.program.templates.iter().any(Template::is_many) {
        return Err(Failed::Said("no thread is declared with `[*]`".to_owned()));
    }
    Ok(Instances::source(&source, count))
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
    let bytes = file::read(path)?;
    let certificate = threadproof_checker::decode(&bytes)?;
    let (program, digest) =
        threadproof_checker::internals::core_form::parse(&certificate.statement)?;
    if digest != certificate.program {
        return Err(Failed::Said(
            "the certificate's statement does not match its program digest".to_owned(),
        ));
    }
    let layers = certificate.layers.iter().map(|layer| layer.statement.as_str());
    let layers = layers.map(|text| Ok(threadproof_checker::internals::core_form::parse(text)?.0));
    let layers = layers.collect::<Result<_, Failed>>()?;
    Ok(Shown { bytes, certificate, program, layers })
}

/// Writes a file by way of a temporary one beside it, so that whoever is killed, or finds no room,
/// leaves the old file. A link stays, and the file that it leads to is written; what is no file (a
/// device, a pipe) is written as it is.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError<std::io::Error>> {
    let write = || match std::fs::metadata(path) {
        Ok(found) if found.is_file() => replace(&path.canonicalize()?, bytes, &found.permissions()),
        Ok(_) => std::fs::File::options().write(true).open(path)?.write_all(bytes),
        Err(_) => replace(path, bytes, &std::fs::Permissions::from_mode(NEW_FILE)),
    };
    write().map_err(FileError::of(path))
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
