//! The schema of certificates, read from SPEC.md (section 2.4): which fields there are, and where
//! they stand in a certificate.

use ciborium::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What an item has to be. CDDL, as far as SPEC.md uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// An integer within bounds.
    Number(i128, i128),
    /// An integer of any size (SPEC.md section 2.2).
    Int,
    Text,
    /// So many bytes.
    Bytes(usize),
    Bool,
    Null,
    /// This text.
    Word(String),
    /// What the rule says.
    Rule(String),
    Map(Vec<(String, Type)>),
    /// An array with these elements, some of them named.
    Tuple(Vec<(String, Type)>),
    /// An array with any number of such elements.
    List(Box<Type>),
    Choice(Vec<Type>),
}

/// The rules of the schema.
pub struct Schema {
    rules: BTreeMap<String, Type>,
}

/// A field's place in a certificate.
#[derive(Clone, Debug)]
pub struct Occurrence<'a> {
    /// The rule and the path within it, such as `triple.pre[]`.
    pub field: String,
    /// The path from the certificate on, without the numbers of elements.
    pub context: String,
    /// The path with the numbers of children.
    pub path: Vec<usize>,
    /// What stands there.
    pub of: &'a Type,
}

/// Whether a field belongs to what is looked at, and whether the fields inside it do.
pub type Within<'a> = &'a dyn Fn(&str) -> (bool, bool);

impl Schema {
    /// The schema of SPEC.md.
    pub fn of_the_specification() -> Self {
        let text = std::fs::read_to_string(crate::root().join("SPEC.md")).expect("SPEC.md");
        let (_, schema) = text.split_once("```cddl\n").expect("a schema");
        Self::parse(schema.split_once("```").expect("its end").0)
    }

    fn parse(text: &str) -> Self {
        let mut tokens = tokens(text);
        let mut rules = BTreeMap::new();
        while let Some(name) = tokens.pop_front() {
            expect(&mut tokens, "=");
            let rule = parse_type(&mut tokens);
            assert!(rules.insert(name.clone(), rule).is_none(), "two rules for {name}");
        }
        assert!(rules.insert("int".to_owned(), Type::Int).is_some(), "no integers");
        Schema { rules }
    }

    /// The type behind the names of rules, and the last such name.
    fn resolve<'a>(&'a self, mut of: &'a Type) -> (&'a Type, Option<&'a str>) {
        let mut name = None;
        while let Type::Rule(rule) = of {
            name = Some(rule.as_str());
            of = self.rules.get(rule).unwrap_or_else(|| panic!("no rule {rule}"));
        }
        (of, name)
    }

    /// The type without names of rules in front.
    pub fn plain<'a>(&'a self, of: &'a Type) -> &'a Type {
        self.resolve(of).0
    }

    /// What may stand where this type is asked for.
    pub fn alternatives<'a>(&'a self, of: &'a Type) -> Vec<&'a Type> {
        match self.plain(of) {
            Type::Choice(list) => list.iter().flat_map(|t| self.alternatives(t)).collect(),
            other => vec![other],
        }
    }

    /// The names of the proofs that a certificate may hold.
    pub fn proofs(&self) -> Vec<String> {
        let only = |t: &&Type| match t {
            Type::Map(members) if members.len() == 1 => members[0].0.clone(),
            other => panic!("a proof is {other:?}"),
        };
        self.alternatives(&Type::Rule("proof".to_owned())).iter().map(only).collect()
    }

    /// The children of a type, each with its field's name. `inside` is the name of what has the
    /// type.
    fn children<'a>(&'a self, of: &'a Type, inside: &str) -> Vec<(String, &'a Type)> {
        let (plain, rule) = self.resolve(of);
        let inside = rule.unwrap_or(inside);
        match plain {
            Type::Map(members) | Type::Tuple(members) => {
                members.iter().map(|(name, t)| (format!("{inside}.{name}"), t)).collect()
            }
            Type::List(element) => vec![(format!("{inside}[]"), element)],
            Type::Choice(list) => list
                .iter()
                .flat_map(|t| match t {
                    Type::Word(word) => vec![(format!("{inside}.{word}"), t)],
                    Type::Null => vec![(format!("{inside}.null"), t)],
                    other => self.children(other, inside),
                })
                .collect(),
            _ => vec![],
        }
    }

    /// All fields within what is looked at.
    pub fn fields(&self, within: Within) -> BTreeSet<String> {
        let start = Type::Rule("certificate".to_owned());
        let mut found = BTreeSet::from(["certificate".to_owned()]);
        let mut open = vec![("certificate".to_owned(), &start)];
        while let Some((inside, of)) = open.pop() {
            for (field, child) in self.children(of, &inside) {
                let (listed, entered) = within(&field);
                if (!listed || found.insert(field.clone())) && entered {
                    open.push((field, child));
                }
            }
        }
        found
    }

    /// The places of everything that can be long: lists, texts and integers of any size, each with
    /// its type. A place is the path from the certificate on, without the numbers of elements.
    pub fn lengths(&self) -> BTreeMap<String, &Type> {
        let top = self.rules.get("certificate").expect("a rule");
        let (mut found, mut open) = (BTreeMap::new(), vec![("certificate".to_owned(), top)]);
        while let Some((place, of)) = open.pop() {
            for alternative in self.alternatives(of) {
                match alternative {
                    Type::Map(members) | Type::Tuple(members) => {
                        open.extend(members.iter().map(|(n, t)| (format!("{place}.{n}"), t)));
                    }
                    Type::List(element) => {
                        found.insert(format!("{place}[]"), alternative);
                        open.push((format!("{place}[]"), element));
                    }
                    Type::Text | Type::Int => drop(found.insert(place.clone(), alternative)),
                    _ => {}
                }
            }
        }
        found
    }

    /// A small certificate that has this place, with an item there.
    pub fn with_place(&self, place: &str, item: &Value) -> Value {
        let top = self.rules.get("certificate").expect("a rule");
        let rest = place.strip_prefix("certificate").expect("a place in a certificate");
        self.with(top, rest, item).unwrap_or_else(|| panic!("there is no {place}"))
    }

    fn with(&self, of: &Type, place: &str, item: &Value) -> Option<Value> {
        if place.is_empty() {
            return Some(item.clone());
        }
        let member = |members: &[(String, Type)]| {
            let name = |i: usize| place.strip_prefix(&format!(".{}", members[i].0));
            let next = |rest: &&str| rest.is_empty() || rest.starts_with(['.', '[']);
            (0..members.len()).find_map(|i| Some((i, name(i).filter(|rest| next(rest))?)))
        };
        self.alternatives(of).into_iter().find_map(|alternative| match alternative {
            Type::Map(members) | Type::Tuple(members) => {
                let (at, rest) = member(members)?;
                let inner = self.with(&members[at].1, rest, item)?;
                let mut whole = self.example(alternative);
                match &mut whole {
                    Value::Map(entries) => entries[at].1 = inner,
                    Value::Array(items) => items[at] = inner,
                    _ => return None,
                }
                Some(whole)
            }
            Type::List(_) if place == "[]" => Some(item.clone()),
            Type::List(element) => {
                let inner = self.with(element, place.strip_prefix("[]")?, item)?;
                Some(Value::Array(vec![inner]))
            }
            _ => None,
        })
    }

    /// Where the fields within what is looked at stand in a certificate.
    ///
    /// # Panics
    /// If the certificate is not of the schema: a field that SPEC.md does not know.
    pub fn occurrences(&self, certificate: &Value, within: Within) -> Vec<Occurrence<'_>> {
        let start = self.rules.get("certificate").expect("a rule");
        let top = "certificate".to_owned();
        let mut found =
            vec![Occurrence { field: top.clone(), context: top.clone(), path: vec![], of: start }];
        let mut open = vec![(found[0].clone(), certificate)];
        while let Some((at, item)) = open.pop() {
            for (child, inner) in self.inside(&at, item) {
                let (listed, entered) = within(&child.field);
                if listed {
                    found.push(child.clone());
                }
                // An alternative without content stands where the choice does.
                if entered && child.path != at.path {
                    open.push((child, inner));
                }
            }
        }
        found
    }

    /// The fields directly inside an item.
    fn inside<'a, 'v>(
        &'a self,
        at: &Occurrence<'a>,
        item: &'v Value,
    ) -> Vec<(Occurrence<'a>, &'v Value)> {
        let (plain, rule) = self.resolve(at.of);
        let inside = rule.unwrap_or(&at.field).to_owned();
        let child = |name: &str, numbers: &[usize], of: &'a Type| Occurrence {
            field: format!("{inside}{name}"),
            context: format!("{}{name}", at.context),
            path: [at.path.as_slice(), numbers].concat(),
            of,
        };
        match (plain, item) {
            (Type::Map(members), Value::Map(entries)) if members.len() == entries.len() => (0..)
                .zip(entries)
                .map(|(i, (key, value))| {
                    let named = |(name, _): &&(String, Type)| key.as_text() == Some(name);
                    let member = members.iter().find(named);
                    let (name, of) =
                        member.unwrap_or_else(|| panic!("SPEC.md has no {inside}.{key:?}"));
                    (child(&format!(".{name}"), &[2 * i + 1], of), value)
                })
                .collect(),
            (Type::Tuple(elements), Value::Array(items)) if elements.len() == items.len() => (0..)
                .zip(elements.iter().zip(items))
                .map(|(i, ((name, of), value))| (child(&format!(".{name}"), &[i], of), value))
                .collect(),
            (Type::List(of), Value::Array(items)) => {
                (0..).zip(items).map(|(i, value)| (child("[]", &[i], of), value)).collect()
            }
            (Type::Choice(list), _) => {
                let chosen = list.iter().find(|t| self.fits(t, item));
                let chosen = chosen.unwrap_or_else(|| panic!("SPEC.md: no {inside} is {item:?}"));
                match chosen {
                    Type::Word(word) => vec![(child(&format!(".{word}"), &[], at.of), item)],
                    Type::Null => vec![(child(".null", &[], at.of), item)],
                    of => self.inside(&Occurrence { field: inside, of, ..at.clone() }, item),
                }
            }
            (other, _) if self.fits(other, item) => vec![],
            (other, _) => panic!("SPEC.md: {inside} is {other:?}, not {item:?}"),
        }
    }

    /// Whether an item is of a type, as far as can be seen without looking inside.
    pub fn fits(&self, of: &Type, item: &Value) -> bool {
        match (self.plain(of), item) {
            (Type::Number(low, high), Value::Integer(i)) => {
                (*low..=*high).contains(&i128::from(*i))
            }
            (Type::Int, Value::Integer(_) | Value::Text(_))
            | (Type::Text, Value::Text(_))
            | (Type::Bool, Value::Bool(_))
            | (Type::Null, Value::Null)
            | (Type::List(_), Value::Array(_)) => true,
            (Type::Bytes(size), Value::Bytes(bytes)) => bytes.len() == *size,
            (Type::Word(word), Value::Text(text)) => word == text,
            (Type::Tuple(elements), Value::Array(items)) => elements.len() == items.len(),
            (Type::Map(members), Value::Map(entries)) => {
                let keys: BTreeSet<_> = entries.iter().filter_map(|(k, _)| k.as_text()).collect();
                members.len() == entries.len() && members.iter().all(|m| keys.contains(&*m.0))
            }
            (Type::Choice(list), _) => list.iter().any(|t| self.fits(t, item)),
            _ => false,
        }
    }

    /// A small item of a type.
    pub fn example(&self, of: &Type) -> Value {
        let members =
            |list: &[(String, Type)]| list.iter().map(|m| self.example(&m.1)).collect::<Vec<_>>();
        match self.plain(of) {
            Type::Number(low, _) => number((*low).max(0)),
            Type::Int => number(0),
            Type::Text => Value::Text(String::new()),
            Type::Bytes(size) => Value::Bytes(vec![0; *size]),
            Type::Bool => Value::Bool(false),
            Type::Null => Value::Null,
            Type::Word(word) => Value::Text(word.clone()),
            Type::Map(list) => {
                let keys = list.iter().map(|m| Value::Text(m.0.clone()));
                Value::Map(keys.zip(members(list)).collect())
            }
            Type::Tuple(list) => Value::Array(members(list)),
            Type::List(_) => Value::Array(vec![]),
            Type::Choice(list) => self.example(&list[0]),
            Type::Rule(_) => unreachable!("rules are resolved"),
        }
    }
}

/// A number as an item; its size must be that of a CBOR integer.
pub fn number(n: i128) -> Value {
    Value::Integer(n.try_into().expect("an integer of CBOR"))
}

/// Names, texts in quotes, numbers and signs; comments are dropped.
fn tokens(text: &str) -> VecDeque<String> {
    let mut found = VecDeque::new();
    for line in text.lines() {
        let mut rest = line.split(';').next().unwrap_or_default().trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '"' => 2 + rest[1..].find('"').expect("the end of a text"),
                '-' | '0'..='9' => {
                    1 + rest[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - 1)
                }
                c if c.is_alphabetic() || c == '_' => {
                    let name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
                    rest.find(|c| !name(c)).unwrap_or(rest.len())
                }
                '.' if rest.starts_with("..") => 2,
                _ => 1,
            };
            found.push_back(rest[..length].to_owned());
            rest = rest[length..].trim_start();
        }
    }
    found
}

fn next(tokens: &mut VecDeque<String>) -> String {
    tokens.pop_front().expect("the schema goes on")
}

fn expect(tokens: &mut VecDeque<String>, wanted: &str) {
    assert_eq!(next(tokens), wanted, "in the schema, before {tokens:?}");
}

fn skip(tokens: &mut VecDeque<String>, sign: &str) -> bool {
    let found = tokens.front().is_some_and(|t| t == sign);
    if found {
        tokens.pop_front();
    }
    found
}

/// A choice of one or more.
fn parse_type(tokens: &mut VecDeque<String>) -> Type {
    let mut list = vec![parse_single(tokens)];
    while skip(tokens, "/") {
        list.push(parse_single(tokens));
    }
    if list.len() == 1 { list.remove(0) } else { Type::Choice(list) }
}

fn parse_single(tokens: &mut VecDeque<String>) -> Type {
    let token = next(tokens);
    match token.as_str() {
        "{" => Type::Map(parse_members(tokens, "}")),
        "[" if skip(tokens, "*") => {
            let element = parse_type(tokens);
            expect(tokens, "]");
            Type::List(Box::new(element))
        }
        "[" => Type::Tuple(parse_members(tokens, "]")),
        "(" => {
            let inner = parse_type(tokens);
            expect(tokens, ")");
            inner
        }
        "text" => Type::Text,
        "bool" => Type::Bool,
        "null" => Type::Null,
        "bytes" => Type::Bytes(controlled(tokens, "size").try_into().expect("a size")),
        "uint" => Type::Number(0, controlled(tokens, "le")),
        text if text.starts_with('"') => Type::Word(unquoted(text)),
        text if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
            expect(tokens, "..");
            Type::Number(text.parse().expect("a number"), parsed(tokens))
        }
        name => Type::Rule(name.to_owned()),
    }
}

/// The number of a control such as `.size 32`.
fn controlled(tokens: &mut VecDeque<String>, name: &str) -> i128 {
    expect(tokens, ".");
    expect(tokens, name);
    parsed(tokens)
}

fn parsed(tokens: &mut VecDeque<String>) -> i128 {
    next(tokens).parse().expect("a number")
}

fn unquoted(text: &str) -> String {
    text.trim_matches('"').to_owned()
}

/// Members of a map or elements of an array; elements without a name are called by their number.
fn parse_members(tokens: &mut VecDeque<String>, end: &str) -> Vec<(String, Type)> {
    let mut members = Vec::new();
    while !skip(tokens, end) {
        let named = tokens.get(1).is_some_and(|t| t == ":");
        let name = if named { unquoted(&next(tokens)) } else { members.len().to_string() };
        if named {
            expect(tokens, ":");
        }
        members.push((name, parse_type(tokens)));
        skip(tokens, ",");
    }
    members
}
