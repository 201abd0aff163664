//! Certificates with layers of abstract threads, proved by the command line, and edits of them.

use crate::harness::{arg, root, run, threadproof};
use ciborium::Value;
use std::path::{Path, PathBuf};
use threadproof_checker::internals::core_form;

/// The programs in `tests/layers`, `name.core`, with the number of programs that abstract each
/// (`name.1.core`, ...). The prover itself joins equal threads.
const EXAMPLES: [(&str, usize); 6] =
    [("arrays", 1), ("copy", 1), ("joined", 0), ("lock", 1), ("server", 2), ("still", 1)];

/// A program in the core form and a certificate about it.
#[derive(Clone)]
pub struct Layered {
    pub name: &'static str,
    pub core: String,
    pub certificate: Value,
}

impl Layered {
    /// Writes both into the folder; gives the program's path, beside which the certificate stands.
    pub fn write(&self, folder: &Path) -> PathBuf {
        let core = folder.join(self.name).with_extension("core");
        std::fs::write(&core, &self.core).unwrap();
        std::fs::write(core.with_extension("cert"), self.bytes()).unwrap();
        core
    }

    /// The certificate's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        ciborium::into_writer(&self.certificate, &mut bytes).unwrap();
        bytes
    }

    /// A layer of the certificate.
    pub fn layer(&mut self, number: usize) -> &mut Value {
        &mut items(field(&mut self.certificate, "layers"))[number]
    }

    /// The template of the first layer's program that a template comes to.
    pub fn comes_to(&mut self, template: usize) -> &mut Value {
        &mut items(field(self.layer(0), "to"))[template]
    }

    /// A field of the proof that a thread of the first layer conforms.
    pub fn conformance(&mut self, thread: usize, name: &str) -> &mut Vec<Value> {
        let part = &mut items(field(self.layer(0), "parts"))[thread];
        items(field(field(part, "abstracted"), name))
    }

    /// Changes the text of the first layer's program; the layer is about what comes out.
    pub fn restate_layer(&mut self, changes: &[(&str, &str)]) {
        restate(self.layer(0), changes);
    }

    /// Changes the text of the program; the certificate is about what comes out.
    pub fn restate_program(&mut self, changes: &[(&str, &str)]) {
        self.core = restate(&mut self.certificate, changes);
    }
}

/// The examples, each proved anew.
pub fn proved() -> Vec<Layered> {
    let folder = tempfile::tempdir().unwrap();
    EXAMPLES.map(|(name, layers)| prove(name, layers, folder.path())).into()
}

fn prove(name: &'static str, layers: usize, folder: &Path) -> Layered {
    let source = |suffix: String| root().join("tests/layers").join(format!("{name}{suffix}.core"));
    let concrete = source(String::new());
    let abstracts: Vec<PathBuf> = (1..=layers).map(|k| source(format!(".{k}"))).collect();
    let output = folder.join(name);
    let mut arguments = vec!["prove", arg(&concrete), "--threads", "1", "-o", arg(&output)];
    arguments.extend(abstracts.iter().flat_map(|path| ["--abstract", arg(path)]));
    let (code, out, error) = run(threadproof(), &arguments);
    assert_eq!(code, 0, "{name}: {out}{error}");
    let core = std::fs::read_to_string(&concrete).unwrap();
    let bytes = std::fs::read(&output).unwrap();
    Layered { name, core, certificate: ciborium::from_reader(bytes.as_slice()).unwrap() }
}

/// A field of a map.
pub fn field<'a>(map: &'a mut Value, name: &str) -> &'a mut Value {
    let entries = map.as_map_mut().expect("a map");
    let entry = entries.iter_mut().find(|(key, _)| key.as_text() == Some(name));
    &mut entry.unwrap_or_else(|| panic!("no field {name}")).1
}

/// The elements of an array.
pub fn items(array: &mut Value) -> &mut Vec<Value> {
    array.as_array_mut().expect("an array")
}

/// Exchanges texts (each its first time) in the statement of a certificate or layer, and lets it
/// name what comes out.
fn restate(item: &mut Value, changes: &[(&str, &str)]) -> String {
    let mut text = field(item, "statement").as_text().expect("a statement").to_owned();
    for (old, new) in changes {
        let [old, new] = [old, new].map(|text| core_form::statement(text).unwrap());
        assert!(text.contains(&old), "no {old:?} in {text}");
        text = text.replacen(&old, &new, 1);
    }
    let (_, digest) = core_form::parse(&text).unwrap();
    *field(item, "statement") = Value::Text(text.clone());
    *field(item, "program") = Value::serialized(&digest).unwrap();
    text
}
