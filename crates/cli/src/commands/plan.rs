//! `docstone plan FILE`: all that would happen, without connecting to anything.

use docstone_config::plan_from_file;
use docstone_model::Plan;
use docstone_model::plan::PlanFile;
use docstone_workload::{Documents, Facts, Stream, Workload};

use super::run::{environment, overrides, plan_failure};
use crate::args::PlanArgs;
use crate::exit::{Exit, Failure};
use crate::launch::WORKER_BYTES;
use crate::terminal;

/// Resolves the file and prints the plan.
pub(crate) fn run(args: &PlanArgs) -> Result<Exit, Failure> {
    let overrides = overrides(&args.target)?;
    let plan = plan_from_file(&args.file, &overrides, &environment)
        .map_err(|faults| plan_failure(&faults))?;
    let text = if args.json {
        let file = serde_json::to_value(PlanFile::from(&plan)).expect("a plan is plain data");
        format!("{file:#}\n")
    } else {
        docstone_report::plan(&plan, &samples(&plan)?)
    };
    terminal::print(&text)?;
    Ok(Exit::Done)
}

/// Documents and commands as they would be sent, drawn with the plan's own seed. What only a
/// server knows is assumed: empty collections, fields from 1 to 1000.
fn samples(plan: &Plan) -> Result<docstone_report::PlanSamples, Failure> {
    let failure =
        |error: docstone_workload::CompileError| Failure::usage(format!("error: {error}"));
    let prepared = docstone_mongo::prepare(plan)?;
    let mut documents = Vec::new();
    for collection in plan
        .data
        .iter()
        .filter(|collection| collection.document.is_some())
    {
        let mut drawn =
            Documents::with_payloads(plan, collection, &prepared.payloads).map_err(failure)?;
        let mut document = bson::RawDocumentBuf::new();
        drawn.write(0, &mut document);
        documents.push((
            collection.name.clone(),
            json(&document),
            document.as_bytes().len(),
        ));
    }
    let predicted = docstone_mongo::predict(plan, &prepared)?;
    let mut facts = Facts::assumed(plan);
    facts.payloads = prepared.payloads;
    let workload = Workload::compile(plan, &facts).map_err(failure)?;
    let workload = std::sync::Arc::new(workload);
    let mut commands = Vec::new();
    for (index, operation) in plan.operations.iter().enumerate() {
        let used = |group: &usize| plan.group_operations(*group).contains(&index);
        let Some(group) = (0..plan.groups.len()).find(used) else {
            continue;
        };
        let mut stream = Stream::new(&workload, group, 0, 0);
        if let Some(prepared) = stream.example(index) {
            let drawn = docstone_mongo::operation::commands(operation, &prepared);
            let named = |command: &bson::RawDocumentBuf| (operation.name.clone(), json(command));
            commands.extend(drawn.iter().map(named));
        }
    }
    Ok(docstone_report::PlanSamples {
        documents,
        data: predicted
            .iter()
            .map(|of| (of.collection.clone(), of.record()))
            .collect(),
        commands,
        worker: WORKER_BYTES,
    })
}

fn json(document: &bson::RawDocument) -> String {
    match bson::Document::try_from(document) {
        Ok(document) => bson::Bson::Document(document)
            .into_relaxed_extjson()
            .to_string(),
        Err(error) => format!("not valid BSON: {error}"),
    }
}
