// Pictures drawn as PNG without touching the document. arguments[0] is a list of {path}, the CSS path of inline SVG, or
// {data}, the data URI of a picture, each with the size to fit it into (none: its own); arguments[1] is the most pixels
// of an edge. The answer has base64 for each, or null where it could not be drawn.
const [drawings, most] = arguments;
const LOOKS = ["color", "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap",
  "stroke-linejoin", "stroke-dasharray", "stroke-dashoffset", "visibility", "font-family", "font-size", "font-weight",
  "font-style", "text-anchor", "dominant-baseline", "stop-color", "stop-opacity"];
const OWN = ["opacity", "display", "transform", "transform-origin", "transform-box"];

// Inline SVG as a picture of its own: what the page's sheets give it is written into it, and what it refers to elsewhere
// in the page (a sprite's symbol, a gradient) comes along.
function standalone(svg, [width, height]) {
  const serializer = new XMLSerializer();
  const alone = new DOMParser().parseFromString(serializer.serializeToString(svg), "image/svg+xml");
  const copy = alone.documentElement;
  const originals = [svg, ...svg.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  if (originals.length !== copies.length) return null;
  originals.forEach((original, at) => {
    const style = getComputedStyle(original);
    const names = at === 0 ? [...LOOKS, "background-color"] : [...LOOKS, ...OWN];
    const looks = names.map((name) => `${name}:${style.getPropertyValue(name)}`);
    copies[at].setAttribute("style", [copies[at].getAttribute("style") || "", ...looks].join(";"));
  });
  const known = new Set(copies.map((element) => element.id));
  const root = svg.getRootNode();
  for (const [, id] of serializer.serializeToString(copy).matchAll(/(?:href="|url\((?:&quot;|")?)#([^"&)]+)/g)) {
    const elsewhere = known.has(id) ? null : root.getElementById(id) || document.getElementById(id);
    known.add(id);
    if (!elsewhere || elsewhere.contains(svg)) continue;
    const place = alone.createElementNS("http://www.w3.org/2000/svg", "defs");
    place.appendChild(alone.importNode(elsewhere, true));
    copy.appendChild(place);
  }
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return "data:image/svg+xml;charset=utf-8," + encodeURIComponent(serializer.serializeToString(copy));
}

async function drawn({ path, data, size }) {
  try {
    const svg = path && find(path);
    const source = svg ? standalone(svg, size) : data;
    if (!source) return null;
    const image = new Image();
    image.src = source;
    await Promise.race([image.decode(), new Promise((_, late) => setTimeout(late, 3000))]);
    const [width, height] = [image.naturalWidth, image.naturalHeight];
    if (!width || !height) return null;
    let scale = size ? Math.min(size[0] / width, size[1] / height) : 1;
    scale = Math.min(scale, most / width, most / height);
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/png").split(",")[1] || null;
  } catch {
    return null;
  }
}
return JSON.stringify(await Promise.all(drawings.map(drawn)));
