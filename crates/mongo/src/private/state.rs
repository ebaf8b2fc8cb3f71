//! What is known of a detached server, on disk and in memory.

use std::fs;
use std::path::{Path, PathBuf};

use docstone_model::MongoUri;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::error::{PrivateError, file_error};
use super::files::write_private;
use super::member::Member;
use super::options::ServerOptions;

const FILE: &str = "state.json";

/// A detached server. `Debug` and `Serialize` do not show its password.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerState {
    /// Its identifier: eight hexadecimal digits.
    pub id: String,
    /// The connection string, with the password.
    pub uri: MongoUri,
    /// Its members, in the order of the replica set's configuration.
    pub members: Vec<Member>,
    /// What was asked for.
    pub options: ServerOptions,
    /// When it was started.
    pub created: Timestamp,
    /// Its folder.
    pub dir: PathBuf,
}

impl ServerState {
    /// True while at least one member runs.
    pub fn is_running(&self) -> bool {
        self.members.iter().any(|member| member.process.is_alive())
    }

    /// Reads the state of the server in this folder, or says what is wrong with it. What is in the
    /// file is not quoted, since the password is.
    pub(super) fn read(folder: &Path) -> Result<Self, String> {
        let text = fs::read(folder.join(FILE))
            .map_err(|error| format!("{FILE} cannot be read: {error}"))?;
        serde_json::from_slice(&text).map_err(|error| {
            format!(
                "{FILE} is damaged (line {}, column {})",
                error.line(),
                error.column()
            )
        })
    }

    /// Writes the state, with the password, for this user only. The file appears whole.
    pub(super) fn write(&self) -> Result<(), PrivateError> {
        let path = self.dir.join(FILE);
        let mut value = serde_json::to_value(self).expect("a state has only string keys");
        value["uri"] = self.uri.expose().into();
        let text = format!("{value:#}\n");
        let partial = self.dir.join("state.json.partial");
        write_private(&partial, &text)?;
        fs::rename(&partial, &path).map_err(file_error("write", &path))
    }
}

/// What a shell evaluates to have the server in `DOCSTONE_URI`. Holds the password.
pub fn env_lines(state: &ServerState) -> String {
    let quoted = state.uri.expose().replace('\'', r"'\''");
    format!("export DOCSTONE_URI='{quoted}'\n")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn state(dir: &Path) -> ServerState {
        ServerState {
            id: "0123abcd".to_owned(),
            uri: MongoUri::new("mongodb://docstone:geheim@127.0.0.1:7/?tlsCAFile=/it's/ca.pem"),
            members: Vec::new(),
            options: ServerOptions::default(),
            created: Timestamp::UNIX_EPOCH,
            dir: dir.to_path_buf(),
        }
    }

    #[test]
    fn the_state_file_is_for_its_owner_only_and_reads_as_written() {
        let dir = tempfile::tempdir().expect("folder");
        let state = state(dir.path());
        state.write().expect("written");
        let mode = fs::metadata(dir.path().join(FILE))
            .expect("file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(ServerState::read(dir.path()), Ok(state));
    }

    #[test]
    fn a_damaged_state_file_is_named_and_not_quoted() {
        let dir = tempfile::tempdir().expect("folder");
        let missing = ServerState::read(dir.path()).expect_err("nothing there");
        assert!(missing.contains("cannot be read"), "{missing}");
        for text in ["garbage", "{\"id\": 5, \"uri\": \"geheim\"}", "\"geheim\""] {
            write_private(&dir.path().join(FILE), text).expect("written");
            let damaged = ServerState::read(dir.path()).expect_err("damaged");
            assert!(
                damaged.contains("line 1") && !damaged.contains("geheim"),
                "{damaged}"
            );
        }
    }

    #[test]
    fn only_the_file_and_the_shell_lines_hold_the_password() {
        let state = state(Path::new("/tmp"));
        let json = serde_json::to_string(&state).expect("json");
        assert!(!json.contains("geheim"), "{json}");
        assert_eq!(
            env_lines(&state),
            "export DOCSTONE_URI='mongodb://docstone:geheim@127.0.0.1:7/?tlsCAFile=/it'\\''s/ca.pem'\n"
        );
    }
}
