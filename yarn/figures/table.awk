# table.awk : what run.sh has printed, as a table in Markdown: a row a load, a column a class. A cell has each run's containers a second, and behind them the
# processor time a container.
function number_before(line, what) {
  match(line, "[0-9.]+ " what)
  return substr(line, RSTART, RLENGTH - length(what) - 1)
}
function with_commas(number) {
  number = sprintf("%.0f", number)
  return number + 0 < 1000 ? number : substr(number, 1, length(number) - 3) "," substr(number, length(number) - 2)
}
function add(list, value) {
  return list == "" ? value : list ", " value
}
{
  load = with_commas($2) " nodes, " $4 + 0 " queues, " with_commas($6) " applications"
  if (!(load in known)) { known[load]; loads[++rows] = load }
  if (!($1 in known)) { known[$1]; classes[++columns] = $1 }
  rates[load, $1] = add(rates[load, $1], with_commas(number_before($0, "containers/s")))
  times[load, $1] = add(times[load, $1], sprintf("%.0f", number_before($0, "us of them")))
}
END {
  head = "| |"; line = "| --- |"
  for (c = 1; c <= columns; c++) { head = head " " classes[c] " |"; line = line " --- |" }
  print head; print line
  for (r = 1; r <= rows; r++) {
    row = "| " loads[r] " |"
    for (c = 1; c <= columns; c++)
      row = row ((loads[r], classes[c]) in rates ? " " rates[loads[r], classes[c]] "/s; " times[loads[r], classes[c]] " µs |" : " |")
    print row
  }
}
