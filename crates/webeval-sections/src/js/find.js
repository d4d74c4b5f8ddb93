// The element at a CSS path, in which ` >>> ` steps into a shadow root and ` |> ` into a frame.
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
