// The markup of groups of elements: arguments[0] is a list of lists of CSS paths, in which ` >>> ` steps into a shadow
// root and ` |> ` into a frame.
function find(path) {
  let scope = document;
  for (const part of path.split(/ (?=>>> |\|> )/)) {
    const into = part.slice(0, 4) === ">>> " || part.slice(0, 3) === "|> ";
    const selector = into ? part.replace(/^(>>>|\|>) /, "") : part;
    const found = scope && scope.querySelector(selector);
    if (!found) return null;
    scope = found;
    if (path.indexOf(part) + part.length < path.length) scope = found.shadowRoot || found.contentDocument || found;
  }
  return scope;
}
const limit = arguments[1];
return JSON.stringify(arguments[0].map((group) => {
  const html = group.map(find).filter(Boolean).map((element) => element.outerHTML).join("\n");
  return html.length > limit ? html.slice(0, limit) : html;
}));
