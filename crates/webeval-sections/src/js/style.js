// Computed styles, each distinct combination once.
const STYLE_PROPERTIES = [
  "display", "position", "float", "zIndex", "opacity", "visibility", "overflowX", "overflowY",
  "color", "backgroundColor", "backgroundImage", "backgroundClip",
  "fontSize", "fontWeight", "fontFamily", "lineHeight", "letterSpacing", "textAlign", "textShadow",
  "textOverflow", "whiteSpace", "webkitLineClamp", "webkitTextFillColor", "webkitTextStrokeWidth",
  "borderTopWidth", "borderRightWidth", "borderBottomWidth", "borderLeftWidth", "borderTopColor",
  "borderTopLeftRadius", "boxShadow", "transform", "filter", "backdropFilter", "mixBlendMode", "pointerEvents",
  "objectFit", "imageRendering", "direction", "writingMode", "clipPath", "backfaceVisibility", "transformStyle",
  "flexDirection", "flexWrap", "alignItems", "marginTop", "marginRight", "marginBottom", "marginLeft",
  "colorScheme", "paddingTop", "paddingRight", "paddingBottom", "paddingLeft",
];
const styles = [];
const styleIndex = new Map();

// Colours that CSS serialises in other spaces (oklch, color(display-p3 …)) become rgba() by painting one pixel.
let pixel = null;
const converted = new Map();
function asRgb(colour) {
  if (colour.startsWith("rgb")) return colour;
  if (converted.has(colour)) return converted.get(colour);
  if (!pixel) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    pixel = canvas.getContext("2d", { willReadFrequently: true });
  }
  pixel.clearRect(0, 0, 1, 1);
  pixel.fillStyle = "#000";
  pixel.fillStyle = colour;
  pixel.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data;
  const rgb = `rgba(${r}, ${g}, ${b}, ${a / 255})`;
  converted.set(colour, rgb);
  return rgb;
}

const UNUSUAL_COLOUR = /\b(?:oklch|oklab|lch|lab|color|color-mix)\((?:[^()]|\([^()]*\))*\)/g;
function normalColours(value) {
  return value.includes("lab(") || value.includes("lch(") || value.includes("color")
    ? value.replace(UNUSUAL_COLOUR, asRgb)
    : value;
}

function styleOf(computed) {
  const values = STYLE_PROPERTIES.map((name) => computed[name] || "");
  const key = values.join("\u0001");
  let index = styleIndex.get(key);
  if (index === undefined) {
    index = styles.length;
    styleIndex.set(key, index);
    const style = {};
    STYLE_PROPERTIES.forEach((name, i) => {
      const value = values[i];
      // Addresses of pictures are collected with the media; a data URI would only swell the table.
      style[name] = /olor$|Image$|Shadow$/.test(name) ? normalColours(value).replace(/url\("data:[^"]*"\)/g, 'url("data:")') : value;
    });
    styles.push(style);
  }
  return index;
}
