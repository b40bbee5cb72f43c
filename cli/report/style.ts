/**
 * Style sheet of the page. Color-blind readers can distinguish the colors of the series. The contrast of these colors
 * to the background is at least 3:1.
 */
export const style = `
:root { color-scheme: light dark; --ground: #fff; --text: #1b1b1f; --faint: #55555f; --line: #d9d9e0; --link: #0b57d0;
  --s0: #0072b2; --s1: #b84f00; --s2: #00795a; --s3: #a14d7e; --s4: #8a6d00; --s5: #4b4bb5; --other: #6b6b6b; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16161a; --text: #ececf1; --faint: #b0b0bb; --line: #3a3a44; --link: #8ab4f8;
    --s0: #56b4e9; --s1: #ff9e5e; --s2: #3fcf9f; --s3: #e59ac4; --s4: #f0c419; --s5: #a6a6ff; --other: #a0a0a0; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 72rem; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
a { color: var(--link); }
.note, caption { color: var(--faint); }
nav ul, .legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); grid-auto-rows: 1fr; gap: 1rem; margin: 1rem 0; }
.totals div { display: flex; flex-direction: column; border: 1px solid var(--line); border-radius: 6px; padding: .5rem 1rem; }
/* Room for a title of two lines, so that the numbers of all cards are on one line. */
.totals dt { color: var(--faint); font-size: .85rem; min-height: 2lh; }
.totals dd { margin: 0; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
.totals .before { color: var(--faint); font-size: .85rem; }
.wide { overflow-x: auto; margin: .5rem 0 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
caption { text-align: left; padding: .25rem 0; }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody th { font-weight: 400; }
thead th { vertical-align: bottom; }
tbody th, td { overflow-wrap: anywhere; }
tbody th { min-width: 11rem; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
td.n, time { white-space: nowrap; overflow-wrap: normal; }
.chart { width: 100%; height: auto; overflow: visible; }
.chart text { font-size: 12px; fill: var(--faint); }
.grid, .tick { stroke: var(--line); fill: none; }
.s0 { fill: var(--s0); } .s1 { fill: var(--s1); } .s2 { fill: var(--s2); } .s3 { fill: var(--s3); }
.s4 { fill: var(--s4); } .s5 { fill: var(--s5); } .other { fill: var(--other); }
summary { cursor: pointer; }
/* A table becomes a list: the first cell of a row is its title, the others follow as words in as many lines as they need. */
@media screen and (max-width: 48rem) {
  body { padding: 1rem; }
  .chart text { font-size: 20px; }
  table, caption, tbody, tbody th, td { display: block; }
  thead { display: none; }
  tbody tr { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .35rem 0; border-bottom: 1px solid var(--line); }
  tbody th, td { border: 0; padding: 0; }
  tbody th { flex: 0 0 100%; font-weight: 600; }
  td { text-align: left; }
  td::before { content: attr(data-title) ' '; color: var(--faint); white-space: normal; }
  td.none { display: none; }
}
@media print {
  :root { color-scheme: light; --ground: #fff; --text: #000; --faint: #333; --line: #bbb; --link: #000;
    --s0: #0072b2; --s1: #b84f00; --s2: #00795a; --s3: #a14d7e; --s4: #8a6d00; --s5: #4b4bb5; --other: #6b6b6b; }
  body { max-width: none; padding: 0; font-size: 11px; }
  nav, details { display: none; }
  .wide { overflow: visible; }
  tr, .chart, .totals { break-inside: avoid; }
  h2 { break-after: avoid; }
  * { print-color-adjust: exact; }
}
`;
