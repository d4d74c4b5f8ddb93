//! Cassettes: recorded exchanges with a model.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use similar::TextDiff;

use crate::{ChatFuture, ChatModel, ChatRequest, Error, Profile, Reply};

/// What a cassette is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TapeMode {
    /// Every exchange is written to a new file.
    Record,
    /// Every answer comes from the file; a request that is not in it is an error.
    Replay,
    /// Answers come from the file where it has them, and are asked for and added where it has not: a resumed run does
    /// not pay twice.
    Resume,
}

/// One line of the file. A request holds messages, schemas and settings, images as hashes; addresses, headers and keys
/// are not part of it and so cannot be recorded.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Exchange {
    model: String,
    key: String,
    request: ChatRequest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply: Option<Reply>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

/// A cassette. Clones share it, so that the exchanges of several models can be in one.
#[derive(Clone, Debug)]
pub struct Tape {
    inner: Arc<Mutex<Inner>>,
    mode: TapeMode,
}

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    file: Option<File>,
    exchanges: Vec<Exchange>,
    /// Lines by model and key, in order: the n-th asking of one request gets the n-th answer.
    by_key: HashMap<(String, String), Vec<usize>>,
    asked: HashMap<(String, String), usize>,
}

impl Tape {
    /// Opens a cassette, one exchange a line of JSON. A torn last line, as a crash leaves it, is passed over.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Cassette`] for a file that is no recording.
    pub fn open(path: impl Into<PathBuf>, mode: TapeMode) -> Result<Self, Error> {
        let path = path.into();
        let mut inner = Inner {
            exchanges: if mode == TapeMode::Record { Vec::new() } else { read(&path, mode)? },
            file: None,
            by_key: HashMap::new(),
            asked: HashMap::new(),
            path,
        };
        for (at, exchange) in inner.exchanges.iter().enumerate() {
            // A failure that was recorded is part of a replay, but a resumed run tries again.
            if exchange.reply.is_some() || mode == TapeMode::Replay {
                inner.by_key.entry((exchange.model.clone(), exchange.key.clone())).or_default().push(at);
            }
        }
        if mode != TapeMode::Replay {
            inner.file = Some(writer(&inner.path, mode)?);
        }
        Ok(Self { inner: Arc::new(Mutex::new(inner)), mode })
    }

    /// A cassette that holds exchanges, and none with the model that is asked, is the wrong one.
    fn check_model(&self, asked: &str) -> Result<(), Error> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let mut models = inner.exchanges.iter().map(|exchange| &exchange.model);
        match inner.exchanges.first() {
            Some(first) if self.mode == TapeMode::Replay && !models.any(|model| model == asked) => {
                let found = first.model.clone();
                Err(Error::OtherModel { path: inner.path.clone(), found, asked: asked.to_owned() })
            }
            _ => Ok(()),
        }
    }

    fn play(&self, model: &str, request: &ChatRequest) -> Option<Result<Reply, Error>> {
        let key = (model.to_owned(), request.hash());
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = inner.asked.entry(key.clone()).or_default();
        let index = *turn;
        *turn += 1;
        let recorded = inner.by_key.get(&key).and_then(|lines| lines.get(index)).copied();
        match recorded {
            Some(line) => Some(outcome(&inner.exchanges[line])),
            None if self.mode == TapeMode::Replay => Some(Err(not_recorded(request, &inner.exchanges))),
            None => None,
        }
    }

    fn record(&self, model: &str, request: &ChatRequest, answer: &Result<Reply, Error>) -> Result<(), Error> {
        let exchange = Exchange {
            model: model.to_owned(),
            key: request.hash(),
            request: request.clone(),
            reply: answer.as_ref().ok().cloned(),
            failure: answer.as_ref().err().map(ToString::to_string),
        };
        let mut line = serde_json::to_vec(&exchange).unwrap_or_default();
        line.push(b'\n');
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let written = inner.file.as_mut().map_or(Ok(()), |file| file.write_all(&line));
        inner.exchanges.push(exchange);
        written.map_err(|source| Error::Io { action: "append to", path: inner.path.clone(), source })
    }
}

fn read(path: &Path, mode: TapeMode) -> Result<Vec<Exchange>, Error> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && mode == TapeMode::Resume => return Ok(Vec::new()),
        Err(source) => return Err(Error::Io { action: "read", path: path.to_owned(), source }),
    };
    let mut exchanges = Vec::new();
    for (number, line) in text.split_inclusive('\n').enumerate() {
        match serde_json::from_str(line) {
            Ok(exchange) => exchanges.push(exchange),
            Err(_) if line.trim().is_empty() || !line.ends_with('\n') => {}
            Err(source) => return Err(Error::Cassette { path: path.to_owned(), line: number + 1, source }),
        }
    }
    Ok(exchanges)
}

fn writer(path: &Path, mode: TapeMode) -> Result<File, Error> {
    let failed = |source| Error::Io { action: "open", path: path.to_owned(), source };
    if mode == TapeMode::Record {
        return File::create(path).map_err(failed);
    }
    // A torn last line would swallow the line written after it.
    if let Ok(bytes) = std::fs::read(path)
        && !bytes.is_empty()
        && !bytes.ends_with(b"\n")
    {
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
        file.set_len(whole as u64).map_err(failed)?;
    }
    OpenOptions::new().append(true).create(true).open(path).map_err(failed)
}

fn outcome(exchange: &Exchange) -> Result<Reply, Error> {
    match (&exchange.reply, &exchange.failure) {
        (Some(reply), _) => Ok(reply.clone()),
        (None, failure) => Err(Error::Recorded { message: failure.clone().unwrap_or_default() }),
    }
}

fn not_recorded(request: &ChatRequest, exchanges: &[Exchange]) -> Error {
    let purpose = request.purpose.clone();
    let shared = |exchange: &&Exchange| {
        let same = exchange.request.messages.iter().zip(&request.messages).take_while(|(a, b)| a == b).count();
        (exchange.request.purpose == purpose, same)
    };
    let Some(nearest) = exchanges.iter().max_by_key(shared) else {
        return Error::NotRecorded { purpose, difference: "(the cassette is empty)".to_owned() };
    };
    if nearest.key == request.hash() {
        let difference = "(it was recorded, but fewer times than it is asked now)".to_owned();
        return Error::NotRecorded { purpose, difference };
    }
    Error::NotRecorded { purpose, difference: difference(&nearest.request, request) }
}

fn difference(recorded: &ChatRequest, asked: &ChatRequest) -> String {
    // Line ends inside strings become line ends of the text, or a changed word would show a page.
    let lines = |request| serde_json::to_string_pretty(request).unwrap_or_default().replace("\\n", "\n");
    let (recorded, asked) = (lines(recorded), lines(asked));
    let diff = TextDiff::from_lines(recorded.as_str(), asked.as_str()).unified_diff().context_radius(1).to_string();
    diff.lines().take(40).map(shorten).collect()
}

fn shorten(line: &str) -> String {
    let end = line.char_indices().nth(160).map_or(line.len(), |(at, _)| at);
    format!("{}\n", &line[..end])
}

/// A model whose exchanges go through a [`Tape`].
#[derive(Debug)]
pub struct Taped<M> {
    model: M,
    tape: Tape,
}

impl<M: ChatModel> Taped<M> {
    /// Records, replays or resumes `model` by `tape`. A replay never calls `model`, which then only lends its name and
    /// profile.
    ///
    /// # Errors
    /// [`Error::OtherModel`] when the cassette was recorded with another model.
    pub fn new(model: M, tape: Tape) -> Result<Self, Error> {
        tape.check_model(model.name())?;
        Ok(Self { model, tape })
    }
}

impl<M: ChatModel> ChatModel for Taped<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn profile(&self) -> &Profile {
        self.model.profile()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            if let Some(played) = self.tape.play(self.model.name(), request) {
                return played;
            }
            let answer = self.model.chat(request).await;
            self.tape.record(self.model.name(), request, &answer)?;
            answer
        })
    }
}
