//! The store answers, and says no: to the user, to more parts, to one row, to this version.
use crate::faults::house::House;
use crate::faults::proxy::Mood;
use crate::faults::traffic::SPANS;
use crate::support::binary::run;

#[test]
fn what_the_store_refuses_waits_or_is_set_aside_and_shown() {
    let mut house = House::start();
    house.send(3);
    house.all_stored();

    house.store_is(Mood::ReadOnly);
    house.send(5);
    house.says("the store does not take rows (schema)");
    assert_eq!(house.serving().get("/runs").0, 200, "reads go on");
    house.store_is(Mood::Well);
    house.all_stored();

    let parts = |most: u32| {
        format!(
            "ALTER TABLE steps MODIFY SETTING parts_to_delay_insert = {most}, parts_to_throw_insert = {most}"
        )
    };
    house.clickhouse.execute("SYSTEM STOP MERGES steps");
    house.clickhouse.execute(&parts(1));
    house.send(5);
    house.says("the store does not take rows (busy)");
    assert_eq!(house.serving().get("/runs").0, 200, "reads go on");
    house.clickhouse.execute(&parts(3_000));
    house.clickhouse.execute("SYSTEM START MERGES steps");
    house.all_stored();

    house.store_is(Mood::Down);
    house.send(5);
    // The first span of the third run is what the store will not have.
    let poison = house.runs[house.runs.len() - 3] * SPANS;
    house.clickhouse.execute(&format!("ALTER TABLE steps ADD CONSTRAINT odd CHECK name != 'act {poison}'"));
    house.store_is(Mood::Well);
    house.until("settled", |_, counts| counts.is_settled());
    house.send(5);
    house.until("settled", |_, counts| counts.is_settled());
    house.stored_but(1);
    let counts = house.counts();
    assert_eq!((counts.set_aside(), counts.refused()), (1, 0));
    assert_eq!(counts.stored() + 1, counts.kept());
    let (_, page) = house.serving().get("/status");
    assert!(page.contains("VIOLATED_CONSTRAINT") && page.contains(".rejected file"), "{page}");
    assert!(!page.contains(&format!("act {poison}")), "{page}");
}

#[test]
fn tables_of_a_newer_version_stop_the_start_and_cost_nothing() {
    let mut house = House::start();
    house.send(3);
    house.all_stored();
    house.store_is(Mood::Down);
    house.send(5);
    house.kill();
    house.clickhouse.execute(
        "INSERT INTO migrations (number, name, checksum, applied_by) VALUES (9001, 'from_later', 'x', '99')",
    );
    // While the store is away nobody can know; then it is said, and the pages stay up.
    house.serve();
    house.store_is(Mood::Well);
    house.says("the store was migrated by a newer recount (this one does not know 9001_from_later)");
    house.kill();
    let url = format!("http://{}/{}?compress=0", house.proxy.at, house.clickhouse.database());
    let dir = house.folder.path().to_str().unwrap();
    let output = run(&["serve", "--data-dir", dir, "--clickhouse-url", &url]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("start that version"), "{said}");
    house.clickhouse.execute("DELETE FROM migrations WHERE number = 9001");
    house.serve();
    house.all_stored();
}
