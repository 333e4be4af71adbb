// Draws the plots of the statistics, from the numbers in the page's data block. The tables hold the same.
"use strict";

(() => {
  const block = document.getElementById("plot-data");
  if (!block || !window.uPlot) return;
  // Hours and days are the reader's: the server cannot know them before the page is there.
  const zone = document.querySelector("input[name=zone]");
  const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const here = new URL(location.href);
  if (zone && zone.value !== ownZone && !here.searchParams.has("zone")) {
    here.searchParams.set("zone", ownZone);
    location.replace(here);
    return;
  }
  const plots = new Map(JSON.parse(block.textContent).map((plot) => [plot.id, plot]));
  const drawn = [];
  const HEIGHT = 220;
  const COLOURS = 8;

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const written = (plot, value) => {
    if (value === null || value === undefined) return "–";
    return plot.is_share ? `${Math.round(value * 100)} %` : value.toLocaleString("en", { maximumFractionDigits: 1 });
  };

  // Shown while no span is pointed at: the sum. Shares have none.
  const whole = (plot, row) => (plot.is_share ? "–" : written(plot, row.values.reduce((sum, value) => sum + (value ?? 0), 0)));

  // Bars stand on one another: the row drawn first, the highest, is the sum of all.
  function stacked(rows) {
    const sums = rows[0].values.map(() => 0);
    return rows.map((row) => row.values.map((value, at) => (sums[at] += value ?? 0))).reverse();
  }

  function seriesOf(plot) {
    const rows = plot.series.map((row, at) => ({ ...row, ink: colour(`--series-${(at % COLOURS) + 1}`) }));
    const shape = plot.is_share ? { width: 2, points: { show: true, size: 6 } } : { width: 0, points: { show: false } };
    const paths = plot.is_share ? undefined : uPlot.paths.bars({ size: [0.85, 40], align: 1 });
    return (plot.is_share ? rows : rows.reverse()).map((row) => ({
      label: row.name,
      stroke: row.ink,
      fill: plot.is_share ? undefined : row.ink,
      value: (_, __, ___, at) => (at === null ? whole(plot, row) : written(plot, row.values[at])),
      paths,
      ...shape,
    }));
  }

  function options(plot, times, width) {
    const local = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "short", timeZone: plot.zone });
    // Such as `2026-05-03 08:00`.
    const instant = (at) => local.format(new Date(at * 1000));
    const tick = (at) => (instant(at).endsWith("00:00") ? instant(at).slice(5, 10) : instant(at).slice(11));
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
    const label = plot.seconds < 86400 ? instant : (at) => instant(at).slice(0, 10);
    return {
      width,
      height: HEIGHT,
      tzDate: (at) => uPlot.tzDate(new Date(at * 1000), plot.zone),
      scales: {
        x: { time: true, range: [times[0], times[times.length - 1] + plot.seconds] },
        y: { range: (_, __, max) => [0, plot.is_share ? 1 : Math.max(max * 1.05, 1)] },
      },
      axes: [{ ...axis, size: 32, values: (_, ticks) => ticks.map(tick) }, { ...axis, size: 64, values: (_, ticks) => ticks.map((value) => written(plot, value)) }],
      series: [{ label: plot.zone, value: (_, at) => (at === null ? "all" : label(at)) }, ...seriesOf(plot)],
      cursor: { drag: { x: false, y: false }, points: { show: plot.is_share } },
    };
  }

  function draw(place) {
    const plot = plots.get(place.dataset.plot);
    const times = plot.begins.map((begin) => Date.parse(begin) / 1000);
    const values = plot.is_share ? plot.series.map((row) => row.values) : stacked(plot.series);
    place.replaceChildren();
    // An empty place is not shown, and has no width: its parent has the same, but for the border.
    const width = place.parentElement.clientWidth - 2;
    return new uPlot(options(plot, times, width), [times, ...values], place);
  }

  function drawAll() {
    for (const { chart } of drawn.splice(0)) chart.destroy();
    for (const place of document.querySelectorAll(".plot[data-plot]")) drawn.push({ place, chart: draw(place) });
  }

  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  addEventListener("resize", () => {
    for (const { place, chart } of drawn) chart.setSize({ width: place.clientWidth, height: HEIGHT });
  });
})();
