// Makes all text invisible (arguments[0] true), so that a picture shows what is behind it, or visible again.
const key = "__webevalTextless";
const root = document.documentElement;
if (arguments[0]) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, *::before, *::after { -webkit-text-fill-color: transparent !important; color: transparent !important; text-shadow: none !important; text-decoration-color: transparent !important; -webkit-text-stroke-color: transparent !important }");
  root[key] = sheet;
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
} else {
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== root[key]);
  delete root[key];
}
