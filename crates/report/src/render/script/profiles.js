// Profiles: the groups of work of each as tables of the rows that show them, in the place of the groups of the report.

const rowKey = (test, procs) => `${test.id} ${procs}`;

// A table for each process count of each of `groups`, whose cells name tests by their place in `tests`; a row that
// several groups have is in each of them. Other data may lack some rows.
function tablesOf(data, tests, groups) {
  const rows = new Map(data.tables.flatMap(({ procs, rows }) =>
    rows.map(row => [rowKey(data.tests[row.test], procs), row])));
  return groups.flatMap(({ key, name, cells }) => {
    const counts = [...new Set(cells.map(([, procs]) => procs))].sort((a, b) => a - b);
    const ofCount = count => cells.filter(([, procs]) => procs === count)
      .map(([test]) => rows.get(rowKey(tests[test], count))).filter(row => row);
    return counts.map(procs => ({ group: key, title: name, procs, rows: ofCount(procs) }));
  });
}
