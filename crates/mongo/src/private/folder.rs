//! The folders of private servers: where they are, who owns them, which of them are stale.
//!
//! ```text
//! ${DOCSTONE_SERVERS_DIR:-${XDG_CACHE_HOME:-~/.cache}/docstone/servers}/
//!   .lock               held while folders are made or removed
//!   <id>/
//!     owner.lock        held by the process that started the server, until it ends or detaches
//!     state.json        of a detached server; mode 600, since the password is in it
//!     kept              present if the data shall stay when the server is gone
//!     data/member-0/    or a link to a folder elsewhere
//!     member-0.1.log    and keyfile, ca.pem, server.pem
//! ```

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::damaged::{Damaged, working_in};
use super::error::{PrivateError, file_error};
use super::files::{make_folder, open_private, write_private};
use super::find::cache_folder;
use super::process::Process;
use super::state::ServerState;

/// The folder that holds the folders of all private servers.
#[derive(Clone, Debug)]
pub(super) struct ServersFolder(PathBuf);

/// The folder of one server, owned by this process until it is dropped.
#[derive(Debug)]
pub(super) struct ServerFolder {
    path: PathBuf,
    servers: ServersFolder,
    /// Locked; the system opens the lock when this process ends in any way.
    _owner: File,
}

impl ServersFolder {
    /// The folder that the environment names.
    pub(super) fn from_environment() -> Result<Self, PrivateError> {
        let named = std::env::var_os("DOCSTONE_SERVERS_DIR").filter(|path| !path.is_empty());
        let path = match named {
            Some(named) => {
                std::path::absolute(&named).map_err(file_error("resolve", Path::new(&named)))?
            }
            None => cache_folder()
                .ok_or(PrivateError::NoCacheFolder)?
                .join("servers"),
        };
        Ok(Self(path))
    }

    /// A folder of the caller's choice, for tests.
    #[cfg(test)]
    pub(super) fn at(path: &Path) -> Self {
        Self(path.to_path_buf())
    }

    /// Makes the folder of a new server, after having removed those that are stale. `data_dir` is
    /// where its data shall be, if not in the folder itself.
    pub(super) fn create(&self, data_dir: Option<&Path>) -> Result<ServerFolder, PrivateError> {
        make_folder(&self.0)?;
        let _lock = self.lock()?;
        self.remove_stale_locked();
        let id = uuid::Uuid::new_v4().simple().to_string()[..8].to_owned();
        let path = self.0.join(&id);
        make_folder(&path)?;
        let owner = open_private(&path.join("owner.lock"))?;
        owner
            .lock()
            .map_err(file_error("lock", &path.join("owner.lock")))?;
        let folder = ServerFolder {
            path,
            servers: self.clone(),
            _owner: owner,
        };
        let data = folder.path.join("data");
        if let Some(data_dir) = data_dir {
            let target = std::path::absolute(data_dir)
                .map_err(file_error("resolve", data_dir))?
                .join(data_folder_name(&id));
            // The link comes first, so that whatever is made can be found and removed.
            symlink(&target, &data).map_err(file_error("link", &data))?;
            make_folder(&target)?;
        } else {
            make_folder(&data)?;
        }
        Ok(folder)
    }

    /// Removes the folders of servers that are gone and whose data were not to be kept.
    pub(super) fn remove_stale(&self) -> Result<(), PrivateError> {
        if self.0.is_dir() {
            let _lock = self.lock()?;
            self.remove_stale_locked();
        }
        Ok(())
    }

    /// The detached servers of which at least one member runs, oldest first.
    pub(super) fn running(&self) -> Vec<ServerState> {
        let mut states: Vec<ServerState> = self
            .folders()
            .filter_map(|folder| ServerState::read(&folder).ok())
            .filter(ServerState::is_running)
            .collect();
        states.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
        states
    }

    /// The servers that run without an owner or a state that names them.
    pub(super) fn damaged(&self) -> Vec<Damaged> {
        let mut damaged: Vec<Damaged> = self
            .folders()
            .filter(|folder| !is_owned(folder))
            .filter_map(|folder| Damaged::find(&folder, is_kept(&folder)))
            .collect();
        damaged.sort_by(|a, b| a.id.cmp(&b.id));
        damaged
    }

    /// The processes that work in the folder of a server.
    pub(super) fn processes(&self, id: &str) -> Vec<Process> {
        working_in(&self.0.join(id))
    }

    /// Removes the folder of a server and its data.
    pub(super) fn remove(&self, id: &str) -> Result<(), PrivateError> {
        let _lock = self.lock()?;
        remove_folder(&self.0.join(id))
    }

    fn lock(&self) -> Result<File, PrivateError> {
        let path = self.0.join(".lock");
        let lock = open_private(&path)?;
        lock.lock().map_err(file_error("lock", &path))?;
        Ok(lock)
    }

    fn folders(&self) -> impl Iterator<Item = PathBuf> + use<> {
        let entries = fs::read_dir(&self.0).into_iter().flatten();
        entries
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            // The user may name a folder that holds other things, which are never ours.
            .filter(|entry| entry.file_name().to_str().is_some_and(is_id))
            .map(|entry| entry.path())
    }

    /// Removal is best effort: a mongod that is being killed may still write, and the next start
    /// tries again.
    fn remove_stale_locked(&self) {
        for folder in self.folders().filter(|folder| is_stale(folder)) {
            let _ = remove_folder(&folder);
        }
    }
}

impl ServerFolder {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the folder, which is the identifier of the server.
    pub(super) fn id(&self) -> &str {
        let name = self.path.file_name().and_then(|name| name.to_str());
        name.expect("the folder's name was made of hexadecimal digits")
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// From now on the data stay, whatever happens.
    pub(super) fn mark_kept(&self) -> Result<(), PrivateError> {
        write_private(&self.file("kept"), "")
    }

    /// Removes the folder and the data.
    pub(super) fn remove(&self) -> Result<(), PrivateError> {
        self.servers.remove(self.id())
    }
}

/// The folder within a data folder of the user's choice. Only a folder of this name is removed.
fn data_folder_name(id: &str) -> String {
    format!("docstone-{id}")
}

/// True if a name has the form of the identifiers that [`ServersFolder::create`] makes.
fn is_id(name: &str) -> bool {
    name.len() == 8
        && name
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// True if nothing says that the folder is needed. The processes are asked last: a file may have
/// been overwritten while a mongod works in the folder.
fn is_stale(folder: &Path) -> bool {
    !is_kept(folder)
        && !is_owned(folder)
        && !ServerState::read(folder).is_ok_and(|state| state.is_running())
        && working_in(folder).is_empty()
}

fn is_kept(folder: &Path) -> bool {
    folder.join("kept").exists()
}

fn is_owned(folder: &Path) -> bool {
    File::open(folder.join("owner.lock"))
        .is_ok_and(|owner| matches!(owner.try_lock(), Err(fs::TryLockError::WouldBlock)))
}

fn remove_folder(folder: &Path) -> Result<(), PrivateError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    if let Ok(target) = fs::read_link(folder.join("data"))
        && target.ends_with(data_folder_name(&name))
    {
        remove_tree(&target)?;
    }
    remove_tree(folder)
}

fn remove_tree(path: &Path) -> Result<(), PrivateError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(file_error("remove", path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers() -> (tempfile::TempDir, ServersFolder) {
        let root = tempfile::tempdir().expect("folder");
        let servers = ServersFolder::at(&root.path().join("servers"));
        (root, servers)
    }

    #[test]
    fn a_folder_without_owner_is_removed_at_the_next_start_with_its_data() {
        let (root, servers) = servers();
        let elsewhere = root.path().join("disk");
        let abandoned = servers.create(Some(&elsewhere)).expect("folder");
        let path = abandoned.path().to_path_buf();
        let data = elsewhere.join(format!("docstone-{}", abandoned.id()));
        assert!(path.is_dir() && data.is_dir());
        servers.remove_stale().expect("cleaned");
        assert!(path.is_dir() && data.is_dir(), "its owner lives");
        drop(abandoned);
        let next = servers.create(None).expect("folder");
        assert!(!path.exists() && !data.exists());
        assert!(elsewhere.is_dir() && next.path().is_dir());
    }

    #[test]
    fn a_folder_that_a_kill_left_half_made_is_removed() {
        let (_root, servers) = servers();
        let half = servers.0.join("0123abcd");
        fs::create_dir_all(&half).expect("folder");
        servers.remove_stale().expect("cleaned");
        assert!(!half.exists());
    }

    #[test]
    fn what_docstone_did_not_make_is_never_removed() {
        let (_root, servers) = servers();
        for name in ["thesis", "photos/2026", "0123ABCD", "0123abcde"] {
            fs::create_dir_all(servers.0.join(name)).expect("folder");
        }
        servers.remove_stale().expect("cleaned");
        let _server = servers.create(None).expect("folder");
        for name in ["thesis", "photos/2026", "0123ABCD", "0123abcde"] {
            assert!(servers.0.join(name).is_dir(), "{name}");
        }
    }

    #[test]
    fn kept_data_stay_without_an_owner() {
        let (_root, servers) = servers();
        let kept = servers.create(None).expect("folder");
        kept.mark_kept().expect("marked");
        let path = kept.path().to_path_buf();
        drop(kept);
        servers.remove_stale().expect("cleaned");
        assert!(path.join("data").is_dir());
    }
}
