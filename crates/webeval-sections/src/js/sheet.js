// Puts a style sheet (arguments[0]) over the page's own, in place of the one put there before; an empty one takes it off.
const key = "__webevalSheet";
const root = document.documentElement;
const others = document.adoptedStyleSheets.filter((sheet) => sheet !== root[key]);
delete root[key];
if (arguments[0]) {
  root[key] = new CSSStyleSheet();
  root[key].replaceSync(arguments[0]);
  others.push(root[key]);
}
document.adoptedStyleSheets = others;
