//! Where a mongod comes from, and where docstone keeps its cache.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::error::PrivateError;

/// The version of the mongod in docstone's cache.
pub const MONGOD_VERSION: &str = "6.0.5";

/// Finds a mongod: `DOCSTONE_MONGOD`, else `mongod` on the `PATH`, else docstone's cache.
///
/// # Errors
///
/// [`PrivateError::MongodNotFound`] names all three places and the cure;
/// [`PrivateError::NotExecutable`] if `DOCSTONE_MONGOD` is set to something else than a program.
pub fn find_mongod() -> Result<PathBuf, PrivateError> {
    find_in(
        std::env::var_os("DOCSTONE_MONGOD"),
        std::env::var_os("PATH").as_deref(),
        cached_mongod(),
    )
}

/// Where docstone's cache has its mongod, whether it is there or not:
/// `${XDG_CACHE_HOME:-~/.cache}/docstone/mongod/6.0.5/mongod`. `None` without a home folder.
pub fn cached_mongod() -> Option<PathBuf> {
    Some(
        cache_folder()?
            .join("mongod")
            .join(MONGOD_VERSION)
            .join("mongod"),
    )
}

/// `${XDG_CACHE_HOME:-~/.cache}/docstone`. `None` without a home folder.
pub(super) fn cache_folder() -> Option<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(cache.join("docstone"))
}

fn find_in(
    named: Option<OsString>,
    search_path: Option<&OsStr>,
    cached: Option<PathBuf>,
) -> Result<PathBuf, PrivateError> {
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        let path = std::path::absolute(&named).unwrap_or_else(|_| PathBuf::from(&named));
        return if is_program(&path) {
            Ok(path)
        } else {
            Err(PrivateError::NotExecutable(path))
        };
    }
    let on_path = std::env::split_paths(search_path.unwrap_or_default())
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("mongod"));
    on_path
        .chain(cached.clone())
        .find(|path| is_program(path))
        .ok_or_else(|| PrivateError::MongodNotFound {
            cache: cached.map_or_else(
                || "in ~/.cache/docstone (HOME is not set)".to_owned(),
                |path| path.display().to_string(),
            ),
        })
}

fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn program(folder: &Path, mode: u32) -> PathBuf {
        fs::create_dir_all(folder).expect("folder");
        let path = folder.join("mongod");
        fs::write(&path, "").expect("file");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("mode");
        path
    }

    #[test]
    fn the_variable_comes_before_the_path_and_the_path_before_the_cache() {
        let root = tempfile::tempdir().expect("folder");
        let named = program(&root.path().join("named"), 0o755);
        let on_path = program(&root.path().join("path"), 0o755);
        let cached = program(&root.path().join("cache"), 0o755);
        let path = root.path().join("path");
        let path = Some(path.as_os_str());
        let found = |named, path| find_in(named, path, Some(cached.clone())).expect("found");
        assert_eq!(found(Some(named.clone().into()), path), named);
        assert_eq!(found(None, path), on_path);
        assert_eq!(found(None, None), cached);
    }

    #[test]
    fn a_variable_that_names_no_program_is_an_error_and_not_passed_over() {
        let root = tempfile::tempdir().expect("folder");
        let plain = program(root.path(), 0o644);
        let error = find_in(Some(plain.clone().into()), None, Some(plain)).expect_err("no program");
        assert!(matches!(error, PrivateError::NotExecutable(_)), "{error}");
    }

    #[test]
    fn nothing_found_names_all_places_and_the_cure() {
        let cached = PathBuf::from("/nowhere/docstone/mongod");
        let error = find_in(None, None, Some(cached)).expect_err("nothing");
        let text = error.to_string();
        for part in [
            "DOCSTONE_MONGOD",
            "PATH",
            "/nowhere/docstone/mongod",
            "cargo xtask mongod",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
}
