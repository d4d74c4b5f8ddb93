// The markup of groups of elements: arguments[0] is a list of lists of CSS paths.
const limit = arguments[1];
return JSON.stringify(arguments[0].map((group) => {
  const html = group.map(find).filter(Boolean).map((element) => element.outerHTML).join("\n");
  return html.length > limit ? html.slice(0, limit) : html;
}));
