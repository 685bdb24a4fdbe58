const units = document.querySelector("button");
units.onclick = () => {
  const calls = document.body.classList.toggle("calls");
  units.textContent = calls ? "Tables: show MiB/s" : "Tables: show nanoseconds for a call";
};

for (const figure of document.querySelectorAll("figure")) {
  const { sizes, xs, series, width } = JSON.parse(figure.dataset.chart);
  const svg = figure.querySelector("svg"), cross = figure.querySelector(".cross"), tip = figure.querySelector(".tip");

  svg.onmousemove = (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) * width) / box.width;
    const at = xs.reduce((best, v, i) => (Math.abs(v - x) < Math.abs(xs[best] - x) ? i : best), 0);
    cross.setAttribute("x1", xs[at]);
    cross.setAttribute("x2", xs[at]);
    const rows = series.filter((s) => s.mib[at] !== null).sort((a, b) => b.mib[at] - a.mib[at]);
    tip.innerHTML = `<b>${sizes[at].toLocaleString("en")} bytes</b><table>` + rows.map((s) =>
      `<tr><td style="color:${s.color}">${s.name}</td><td>${s.mib[at].toLocaleString("en")} MiB/s</td>` +
      `<td>${s.ns[at].toLocaleString("en")} ns</td></tr>`).join("") + "</table>";
    cross.style.visibility = tip.style.visibility = "visible";
    const outer = figure.getBoundingClientRect();
    const left = event.clientX - outer.left;
    tip.style.left = (left < outer.width / 2 ? left + 18 : left - tip.offsetWidth - 18) + "px";
    tip.style.top = Math.max(0, event.clientY - outer.top - tip.offsetHeight / 2) + "px";
  };
  svg.onmouseleave = () => { cross.style.visibility = tip.style.visibility = "hidden"; };

  for (const item of figure.querySelectorAll(".legend li")) {
    item.onmouseenter = () => {
      figure.classList.add("pick");
      for (const g of svg.querySelectorAll("g[data-series]"))
        g.classList.toggle("dim", g.dataset.series !== item.dataset.series);
    };
    item.onmouseleave = () => figure.classList.remove("pick");
  }
}
