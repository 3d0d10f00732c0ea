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

  // A packed part of the page, with functions that read one array after the other.
  const unpack = async (name) => {
    const binary = atob(part(name).content.textContent);
    const packed = new Uint8Array(binary.length);
    for (let n = 0; n < binary.length; n++) packed[n] = binary.charCodeAt(n);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const block = new Uint8Array(await new Response(stream).arrayBuffer());
    let at = 0;
    const object = () => {
      const start = at + 4;
      at = start + new DataView(block.buffer).getUint32(at, true);
      return JSON.parse(new TextDecoder().decode(block.subarray(start, at)));
    };
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
    return { object, shorts, floats };
  };
  const { object, shorts, floats } = await unpack("data");
  const head = object();
  const count = head.ids.length;
  const models = head.models.map((label, place) => {
    const [sum, mean] = [floats(count), floats(count)];
    return { label, sum, mean, counts: [shorts(count), shorts(count)], hasTokens: head.tokens[place] };
  });
  // Tokens are unpacked when they are first shown: of each sentence where they end and where the first begins.
  const readTokens = async () => {
    const { shorts } = await unpack("tokens");
    for (const model of models.filter((own) => own.hasTokens)) {
      const counts = shorts(2 * head.shown.length);
      model.firsts = shorts(counts.length);
      model.ends = new Uint32Array(counts.length);
      const all = counts.reduce((end, n, i) => (model.ends[i] = end + n), 0);
      model.lengths = shorts(all);
      model.surprisals = shorts(all);
    }
  };
  let tokensRead;
  const exceptions = new Set(head.exceptions);
  const shownAt = new Map(head.shown.map((i, place) => [i, place]));
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
    if (!verdict) return null;
    const chosen = chosenModel();
    if (chosen) return (i) => !Number.isNaN(chosen.sum[i]) && verdict(chosen, measure, i);
    return (i) => {
      let yes = 0;
      let no = 0;
      for (const own of models) if (!Number.isNaN(own.sum[i])) verdict(own, measure, i) ? yes++ : no++;
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
  const language = document.documentElement.lang;
  const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const plain = new Intl.NumberFormat(language, decimals);
  const withSign = new Intl.NumberFormat(language, { ...decimals, signDisplay: "exceptZero" });
  const signed = (value) => withSign.format(value).replace("-", "−");
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
    const values = { model: own.label, sum: signed(own.sum[i]), mean: signed(own.mean[i]), good: own.counts[0][i], bad: own.counts[1][i] };
    const item = make("li", own.sum[i] > 0 ? "right" : "wrong", say("line", values));
    if (own.hasTokens && shownAt.has(i)) {
      const place = make("div");
      item.append(place);
      (tokensRead ??= readTokens()).then(() => place.replaceWith(tokenTable(own, i)));
    }
    return item;
  };
  // The tokens of a sentence with their surprisals in nats; the last one reaches to the sentence's end.
  const tokensOf = (own, i, side) => {
    const place = 2 * shownAt.get(i) + (side === "bad");
    const [from, to] = [place ? own.ends[place - 1] : 0, own.ends[place]];
    const letters = Array.from(head[side][i]);
    let start = own.firsts[place];
    return Array.from({ length: to - from }, (_, n) => {
      const end = from + n + 1 < to ? start + own.lengths[from + n] : letters.length;
      const text = letters.slice(start, end).join("").trim() || (start >= letters.length ? "∎" : "·");
      start = end;
      return { text, nats: own.surprisals[from + n] / 100 };
    });
  };
  // Columns of two rows of tokens: equal ones stand below each other (the longest common subsequence), then the others.
  const aligned = (good, bad) => {
    const common = Array.from({ length: good.length + 1 }, () => new Uint16Array(bad.length + 1));
    for (let a = good.length - 1; a >= 0; a--)
      for (let b = bad.length - 1; b >= 0; b--)
        common[a][b] = good[a].text === bad[b].text ? common[a + 1][b + 1] + 1 : Math.max(common[a + 1][b], common[a][b + 1]);
    const columns = [];
    let [a, b] = [0, 0];
    while (a < good.length || b < bad.length) {
      const [left, right] = [[], []];
      while (a < good.length && b < bad.length && good[a].text === bad[b].text) columns.push([good[a++], bad[b++]]);
      while ((a < good.length || b < bad.length) && !(a < good.length && b < bad.length && good[a].text === bad[b].text)) {
        if (b >= bad.length || (a < good.length && common[a + 1][b] >= common[a][b + 1])) left.push(good[a++]);
        else right.push(bad[b++]);
      }
      for (let n = 0; n < Math.max(left.length, right.length); n++) columns.push([left[n], right[n]]);
    }
    return columns;
  };
  const tokenTable = (own, i) => {
    const columns = aligned(tokensOf(own, i, "good"), tokensOf(own, i, "bad"));
    const said = make("p", "said", say("hint"));
    said.setAttribute("aria-live", "polite");
    const rows = ["good", "bad"].map((side, row) => {
      const name = make("th", side, say(side));
      name.scope = "row";
      const cells = columns.map((column) => {
        if (!column[row]) return make("td");
        const { text, nats } = column[row];
        const cell = make("td", column[1 - row]?.text === text ? "" : "differs", text, make("small", "", plain.format(nats)));
        cell.style.setProperty("--h", `${Math.min(70, 4 * nats).toFixed(0)}%`);
        const tell = () => {
          const both = column.map((it, n) => it && say(n ? "in_bad" : "in_good", { token: it.text, nats: plain.format(it.nats) }));
          if (column[0] && column[1]) both.push(say("change", { nats: signed(column[1].nats - column[0].nats) }));
          said.textContent = both.filter(Boolean).join(" · ");
        };
        cell.addEventListener("pointerenter", tell);
        cell.addEventListener("click", tell);
        return cell;
      });
      return make("tr", "", name, ...cells);
    });
    const scroll = make("div", "scroll", make("table", "tokens", make("tbody", "", ...rows)));
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", say("tokens", { model: own.label }));
    return make("div", "", scroll, said);
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
    const values = { first: (first + 1).toLocaleString(language), last: last.toLocaleString(language), n: matches.length.toLocaleString(language), all: count.toLocaleString(language) };
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
