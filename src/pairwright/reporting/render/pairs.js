// The browser of all pairs: reads the block that pair_data.py packed, filters it, and shows some pairs at a time.
// Texts of pairs and models only ever become text nodes.
(async () => {
  const SHOWN = 20;
  const section = document.getElementById("browse");
  if (!section) return;
  const part = (name) => section.querySelector(`[data-part="${name}"]`);
  const words = JSON.parse(part("words").dataset.words);
  const say = (name, values = {}) => words[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const status = part("status");
  if (typeof DecompressionStream === "undefined") {
    status.textContent = say("old_browser");
    return;
  }

  const binary = atob(part("data").content.textContent);
  const packed = new Uint8Array(binary.length);
  for (let n = 0; n < binary.length; n++) packed[n] = binary.charCodeAt(n);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const block = new Uint8Array(await new Response(stream).arrayBuffer());
  let at = 4 + new DataView(block.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(block.subarray(4, at)));
  const count = head.ids.length;

  const shorts = (n) => {
    const values = Uint16Array.from({ length: n }, (_, i) => block[at + i] | (block[at + n + i] << 8));
    at += 2 * n;
    return values;
  };
  const floats = (n) => {
    const bits = new Int32Array(n);
    for (let i = 0; i < n; i++) bits[i] = (block[at + i] << 8) | (block[at + n + i] << 16) | (block[at + 2 * n + i] << 24);
    at += 3 * n;
    return new Float32Array(bits.buffer);
  };
  const models = head.models.map((label, place) => {
    const model = { label, sum: floats(count), mean: floats(count), tokens: [shorts(count), shorts(count)] };
    if (head.words[place]) {
      const counts = shorts(2 * count);
      model.ends = new Uint32Array(2 * count);
      counts.reduce((end, n, i) => (model.ends[i] = end + n), 0);
      model.values = floats(counts.length ? model.ends[2 * count - 1] : 0);
    }
    return model;
  });
  const exceptions = new Set(head.exceptions);
  const rule = (i) => head.rules.labels[head.rules.of[i]];
  const phenomenon = (i) => head.phenomena.labels[head.phenomena.of[i]];
  let texts;
  const searched = () =>
    (texts ??= head.ids.map((id, i) => `${head.good[i]}\n${head.bad[i]}\n${rule(i)}\n${id}`.normalize("NFC").toLowerCase()));

  const form = section.querySelector("form");
  const field = form.elements;
  const fill = (select, labels, empty) => {
    labels.forEach((label, place) => select.append(new Option(label || empty, place)));
  };
  fill(field.rule, head.rules.labels, say("none"));
  fill(field.phenomenon, head.phenomena.labels, say("none"));
  fill(field.model, head.models, "");
  if (models.length === 1) field.model.value = "0";
  for (const name of ["rule", "phenomenon"]) field[name].closest("label").hidden = field[name].options.length < 3;
  field.model.closest("label").hidden = models.length < 2;

  // Undefined for any, every and some.
  const chosenModel = () => models[Number(field.model.value)];
  const VERDICTS = {
    right: (own, measure, i) => own[measure][i] > 0,
    wrong: (own, measure, i) => own[measure][i] <= 0,
    tie: (own, measure, i) => own[measure][i] === 0,
    flip: (own, measure, i) => own.sum[i] > 0 !== own.mean[i] > 0,
  };
  // What a pair has to fulfil for the chosen model, or for any, every or some of them.
  const wanted = () => {
    const measure = field.measure.value;
    const verdict = VERDICTS[field.verdict.value];
    const low = field.low.value === "" ? -Infinity : Number(field.low.value);
    const high = field.high.value === "" ? Infinity : Number(field.high.value);
    if (!verdict && low === -Infinity && high === Infinity) return null;
    const holds = (own, i) =>
      (!verdict || verdict(own, measure, i)) && own[measure][i] >= low && own[measure][i] <= high;
    const chosen = chosenModel();
    if (chosen) return (i) => !Number.isNaN(chosen.sum[i]) && holds(chosen, i);
    return (i) => {
      let yes = 0;
      let no = 0;
      for (const own of models) if (!Number.isNaN(own.sum[i])) holds(own, i) ? yes++ : no++;
      return yes > 0 && (field.model.value === "any" || (field.model.value === "every" ? no === 0 : no > 0));
    };
  };
  const difference = (i) => {
    const measure = field.measure.value;
    if (chosenModel()) return chosenModel()[measure][i];
    let sum = 0;
    let n = 0;
    for (const own of models) if (!Number.isNaN(own[measure][i])) (sum += own[measure][i]), n++;
    return n ? sum / n : NaN;
  };

  let matches = [];
  let first = 0;
  const update = () => {
    const query = field.query.value.trim().normalize("NFC").toLowerCase();
    const fulfils = wanted();
    const [ofRule, ofPhenomenon] = [field.rule.value, field.phenomenon.value];
    matches = [];
    for (let i = 0; i < count; i++) {
      if (ofRule !== "" && head.rules.of[i] !== Number(ofRule)) continue;
      if (ofPhenomenon !== "" && head.phenomena.of[i] !== Number(ofPhenomenon)) continue;
      if (query && !searched()[i].includes(query)) continue;
      if (fulfils && !fulfils(i)) continue;
      matches.push(i);
    }
    const sign = { low: 1, high: -1 }[field.order.value];
    if (sign) {
      const keys = new Map(matches.map((i) => [i, difference(i)]));
      // Pairs without a score stay at the end.
      matches.sort((a, b) => {
        const [x, y] = [keys.get(a), keys.get(b)];
        return Number.isNaN(x) - Number.isNaN(y) || sign * (x - y) || a - b;
      });
    }
    first = 0;
    show();
  };

  const make = (tag, className, ...children) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children);
    return element;
  };
  const signed = (value) => {
    const text = Math.abs(value).toFixed(2);
    return Number(text) === 0 ? "0.00" : `${value < 0 ? "−" : "+"}${text}`;
  };
  const sentence = (i, side) => {
    const letters = Array.from(head[side][i]);
    const spans = head.changes[i];
    const text = make("span");
    text.dir = "auto";
    text.lang = head.languages.labels[head.languages.of[i]];
    let end = 0;
    for (let n = side === "good" ? 0 : 2; n < spans.length; n += 4) {
      text.append(letters.slice(end, spans[n]).join(""));
      if (spans[n + 1] > spans[n]) text.append(make("mark", "", letters.slice(spans[n], spans[n + 1]).join("")));
      end = spans[n + 1];
    }
    text.append(letters.slice(end).join(""));
    return make("p", `sentence ${side}`, make("span", "side", say(side)), " ", text);
  };
  const line = (own, i) => {
    const values = { sum: signed(own.sum[i]), mean: signed(own.mean[i]), good: own.tokens[0][i], bad: own.tokens[1][i] };
    const item = make("li", own.sum[i] > 0 ? "right" : "wrong", `${own.label}: ${say("line", values)}`);
    if (own.ends) item.append(wordRow(own, i, "good"), wordRow(own, i, "bad"));
    return item;
  };
  const wordRow = (own, i, side) => {
    const place = 2 * i + (side === "bad");
    const values = own.values.subarray(place ? own.ends[place - 1] : 0, own.ends[place]);
    // A first word whose first token was not scored has no value.
    const texts = (head[side][i].match(/\S+/gu) ?? []).slice(-values.length || undefined);
    const row = make("p", "words", make("span", "side", say(side)));
    values.forEach((value, n) => {
      const word = make("span", "word", make("span", "", texts[n] ?? "…"), make("small", "", signed(value)));
      word.style.setProperty("--h", `${Math.min(70, -4 * value).toFixed(0)}%`);
      row.append(word, " ");
    });
    return row;
  };
  const pair = (i) => {
    const about = [phenomenon(i), rule(i), exceptions.has(i) ? say("exception") : "", head.ids[i]].filter(Boolean);
    const item = make("li", "", sentence(i, "good"), sentence(i, "bad"), make("p", "about", about.join(" · ")));
    const scored = models.filter((own) => !Number.isNaN(own.sum[i]));
    const chosen = chosenModel();
    if (chosen) {
      const own = Number.isNaN(chosen.sum[i]) ? make("li", "", `${chosen.label}: ${say("no_score")}`) : line(chosen, i);
      item.append(make("ul", "differences", own));
    }
    if (models.length > 1) {
      const right = scored.filter((own) => own.sum[i] > 0).length;
      const details = make("details", "differences", make("summary", "", say("right_of", { right, n: scored.length })));
      details.addEventListener("toggle", () => {
        if (details.children.length === 1) details.append(make("ul", "", ...scored.map((own) => line(own, i))));
      });
      item.append(details);
    }
    return item;
  };
  const show = () => {
    const last = Math.min(first + SHOWN, matches.length);
    part("list").replaceChildren(...matches.slice(first, last).map(pair));
    part("list").start = first + 1;
    const values = { first: (first + 1).toLocaleString(), last: last.toLocaleString(), n: matches.length.toLocaleString(), all: count.toLocaleString() };
    status.textContent = say(matches.length ? "status" : "nothing", values);
    part("earlier").setAttribute("aria-disabled", first === 0);
    part("later").setAttribute("aria-disabled", last === matches.length);
    part("pages").hidden = matches.length <= SHOWN;
  };
  const turn = (step) => () => {
    if (first + step < 0 || first + step >= matches.length) return;
    first += step;
    show();
    status.scrollIntoView({ block: "nearest" });
  };
  part("earlier").addEventListener("click", turn(-SHOWN));
  part("later").addEventListener("click", turn(SHOWN));
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => {
    if (models.length === 1) field.model.value = "0";
    update();
  }));
  form.hidden = false;
  update();
})();
