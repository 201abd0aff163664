//! Error traces: interleavings of threads' paths through their control-flow graphs, the last of
//! which ends at an error location (Section 2 of the paper). Reads the text that `report::trace`
//! prints.

use crate::logic::model::{index, number};
use crate::logic::steps;
use std::ops::Range;
use threadproof_checker::internals::proof_space::automaton::Step;
use threadproof_format::program::{Edge, Program, Template};

/// A thread of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Template.
    pub template: u32,
    /// Number by which it is named, among all threads; of a single template's thread 0.
    pub number: u32,
}

/// An error trace of a program. Exactly its last step ends at an error location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The threads that act.
    pub threads: Vec<Thread>,
    /// The steps; the actor is an index into `threads`.
    pub steps: Vec<Step>,
}

/// Why a text is no error trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct TraceError {
    /// From 1.
    line: usize,
    what: LineError,
}

/// What is wrong with a line of a trace. Templates, threads and locations are given by their names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum LineError {
    /// The line is not a thread with its steps.
    #[error("a line has the form `worker 2: L1 -> L2 -> L3`")]
    Form,
    /// A step follows one that has ended at an error location.
    #[error("the trace continues after it has reached an error location")]
    Continues,
    /// The line is the last one, and its last step does not end at an error location.
    #[error("the trace does not end at an error location")]
    NoError,
    /// The program has no such template.
    #[error("unknown thread template `{0}`")]
    NoTemplate(String),
    /// The number of a thread is not a positive one.
    #[error("the number of a thread must be 1, 2, ...")]
    Number,
    /// A template of many threads is not followed by a number alone.
    #[error("expected a thread with its number, such as `{0} 2`")]
    NoNumber(String),
    /// A single template is followed by something.
    #[error("`{0}` has only one thread: name it without a number")]
    OneThread(String),
    /// A thread of another template has the number.
    #[error("the number is already in use by `{0}`: give each thread its own")]
    NumberInUse(String),
    /// The template has no such location.
    #[error("{template} has no location `{name}`")]
    NoLocation { template: String, name: String },
    /// No edge joins the locations of a step.
    #[error("{template} has no edge {step}", step = .step.join(" -> "))]
    NoEdge { template: String, step: [String; 2] },
    /// Several edges do, and none is chosen.
    #[error(
        "{template} has several edges {step}: add one of #{choices}",
        step = .step.join(" -> "),
        choices = .edges.iter().map(u32::to_string).collect::<Vec<_>>().join(", #")
    )]
    SeveralEdges { template: String, step: [String; 2], edges: Vec<u32> },
    /// The edge that is chosen does not.
    #[error("edge #{chosen} of {template} is not {step}", step = .step.join(" -> "))]
    OtherEdge { chosen: String, template: String, step: [String; 2] },
    /// The thread is not where its step begins.
    #[error("{thread} is at {here}, not at {start}")]
    Elsewhere { thread: String, here: String, start: String },
}

impl Trace {
    /// The name of a thread.
    pub fn name(&self, program: &Program, thread: u32) -> String {
        let thread = self.threads[index(thread)];
        steps::thread_name(program, thread.template, thread.number)
    }

    /// Some steps of the trace as text, a line for those that one thread makes in a row.
    pub fn lines(&self, program: &Program, steps: Range<usize>) -> Vec<String> {
        let step = |s: &Step| (self.name(program, s.actor), s.template, s.edge);
        steps::lines(program, self.steps[steps].iter().map(step))
    }

    /// For each position, where the threads are: at the start, after the first step, ...
    pub fn locations(&self, program: &Program) -> Vec<Vec<u32>> {
        let mut here = vec![0; self.threads.len()];
        let mut all = vec![here.clone()];
        for step in &self.steps {
            here[index(step.actor)] = edge(program, step).target;
            all.push(here.clone());
        }
        all
    }

    /// Reads a trace: on each line a thread's next steps, as `worker 2: L1 -> L2 -> L3`; `//`
    /// begins a comment.
    ///
    /// # Errors
    /// Where the text is not a trace of the program, or no error trace.
    pub fn parse(program: &Program, text: &str) -> Result<Self, TraceError> {
        let mut reader = Reader {
            program,
            trace: Trace { threads: Vec::new(), steps: Vec::new() },
            locations: Vec::new(),
            error: false,
        };
        let mut last = 1;
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.split("//").next().unwrap_or_default().trim();
            if !text.is_empty() {
                reader.line(text).map_err(|what| TraceError { line, what })?;
                last = line;
            }
        }
        if reader.error {
            return Ok(reader.trace);
        }
        Err(TraceError { line: last, what: LineError::NoError })
    }
}

/// The edge that a step takes.
pub fn edge<'a>(program: &'a Program, step: &Step) -> &'a Edge {
    &program.templates[index(step.template)].edges[index(step.edge)]
}

struct Reader<'a> {
    program: &'a Program,
    trace: Trace,
    /// Where each thread is.
    locations: Vec<u32>,
    /// Whether the last step ended at an error location.
    error: bool,
}

impl Reader<'_> {
    fn line(&mut self, text: &str) -> Result<(), LineError> {
        let (name, path) = text.split_once(':').ok_or(LineError::Form)?;
        let mut places = path.split("->").map(str::trim);
        let mut source = places.next().filter(|s| !s.is_empty()).ok_or(LineError::Form)?;
        let targets: Vec<&str> = places.collect();
        if targets.is_empty() || targets.contains(&"") {
            return Err(LineError::Form);
        }
        for target in targets {
            let (target, number) = match target.split_once('#') {
                Some((target, number)) => (target.trim(), Some(number.trim())),
                None => (target, None),
            };
            self.step(name.trim(), source, target, number)?;
            source = target;
        }
        Ok(())
    }

    fn step(
        &mut self,
        name: &str,
        source: &str,
        target: &str,
        number: Option<&str>,
    ) -> Result<(), LineError> {
        if self.error {
            return Err(LineError::Continues);
        }
        let actor = self.thread(name)?;
        let template = self.trace.threads[actor].template;
        let edge = self.edge(template, source, target, number)?;
        self.take(actor, Step { actor: self::number(actor), template, edge })
    }

    /// Finds or adds a thread by its name.
    fn thread(&mut self, name: &str) -> Result<usize, LineError> {
        let mut words = name.split_whitespace();
        let (template, number, rest) = (words.next().unwrap_or(""), words.next(), words.next());
        let found = self.program.templates.iter().position(|t| t.name == template);
        let at = found.ok_or_else(|| LineError::NoTemplate(template.to_owned()))?;
        let thread = match (self.program.templates[at].is_many(), number, rest) {
            (true, Some(number), None) => {
                let number = number.parse().ok().filter(|n| *n > 0);
                let number = number.ok_or(LineError::Number)?;
                Thread { template: self::number(at), number }
            }
            (false, None, None) => Thread { template: self::number(at), number: 0 },
            (true, ..) => return Err(LineError::NoNumber(template.to_owned())),
            (false, ..) => return Err(LineError::OneThread(template.to_owned())),
        };
        let threads = &mut self.trace.threads;
        if let Some(known) = threads.iter().position(|t| *t == thread) {
            return Ok(known);
        }
        if thread.number != 0
            && let Some(other) = threads.iter().find(|t| t.number == thread.number)
        {
            let other = steps::thread_name(self.program, other.template, other.number);
            return Err(LineError::NumberInUse(other));
        }
        threads.push(thread);
        self.locations.push(0);
        Ok(threads.len() - 1)
    }

    /// The edge between two locations, with a number if there are several.
    fn edge(
        &self,
        template: u32,
        source: &str,
        target: &str,
        wanted: Option<&str>,
    ) -> Result<u32, LineError> {
        let template = &self.program.templates[index(template)];
        let ends = (location(template, source)?, location(template, target)?);
        let edges = (0u32..).zip(&template.edges);
        let joining: Vec<u32> =
            edges.filter(|(_, e)| (e.source, e.target) == ends).map(|(i, _)| i).collect();
        let (template, step) = (template.name.clone(), [source, target].map(str::to_owned));
        match (wanted, joining.as_slice()) {
            (_, []) => Err(LineError::NoEdge { template, step }),
            (None, [only]) => Ok(*only),
            (None, _) => Err(LineError::SeveralEdges { template, step, edges: joining }),
            (Some(wanted), some) => {
                let found = wanted.parse().ok().filter(|e| some.contains(e));
                let chosen = wanted.to_owned();
                found.ok_or(LineError::OtherEdge { chosen, template, step })
            }
        }
    }

    fn take(&mut self, actor: usize, step: Step) -> Result<(), LineError> {
        let edge = edge(self.program, &step);
        let template = &self.program.templates[index(step.template)];
        let here = self.locations[actor];
        if edge.source != here {
            let name = |l: u32| template.locations[index(l)].name.clone();
            let thread = self.trace.name(self.program, step.actor);
            let (here, start) = (name(here), name(edge.source));
            return Err(LineError::Elsewhere { thread, here, start });
        }
        self.locations[actor] = edge.target;
        self.error = template.locations[index(edge.target)].error;
        self.trace.steps.push(step);
        Ok(())
    }
}

fn location(template: &Template, name: &str) -> Result<u32, LineError> {
    let found = template.locations.iter().position(|l| l.name == name);
    found.map(number).ok_or_else(|| LineError::NoLocation {
        template: template.name.clone(),
        name: name.to_owned(),
    })
}
