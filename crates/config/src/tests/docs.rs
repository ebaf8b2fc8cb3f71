//! The examples of the documentation are plans, and fit the schema.

use std::path::{Path, PathBuf};

use super::*;

/// The pages whose `yaml` blocks are whole workload files.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md")];
    for folder in ["docs/guide", "docs/concepts"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// The texts between "```yaml" and "```".
fn examples(page: &str) -> Vec<&str> {
    let blocks = page.split("\n```yaml\n").skip(1);
    let text = |block| str::split_once(block, "\n```").expect("the block ends").0;
    blocks.map(text).collect()
}

#[test]
fn every_example_of_the_guide_is_a_plan_and_fits_the_schema() {
    let schema = workload_schema();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let mut found = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("readable");
        for example in examples(&text) {
            found += 1;
            let name = format!("{}, example {found}", page.display());
            let plan = plan_from_text(&name, example, &Overrides::default(), &no_env);
            let _ = plan.unwrap_or_else(|error| panic!("{error}"));
            let json: serde_json::Value = serde_saphyr::from_str(example).expect("YAML");
            let errors: Vec<String> = validator
                .iter_errors(&json)
                .map(|e| e.to_string())
                .collect();
            assert!(errors.is_empty(), "{name}: {errors:?}");
        }
    }
    assert!(found >= 6, "{found} examples");
}
