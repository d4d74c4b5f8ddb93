// The answer is text: the driver copies a string far faster than a tree of objects.
const root = document.documentElement;
const rootStyle = root ? getComputedStyle(root) : null;
const bodyStyle = document.body ? getComputedStyle(document.body) : null;
return JSON.stringify({
  format: 1,
  url: location.href,
  title: document.title,
  contentType: document.contentType,
  quirks: document.compatMode !== "CSS1Compat",
  frameset: Boolean(document.body && document.body.localName === "frameset"),
  lang: root ? root.lang : "",
  viewport: [innerWidth, innerHeight],
  pixelRatio: devicePixelRatio,
  scroll: [scrollX, scrollY],
  client: root ? [root.clientWidth, root.clientHeight] : [innerWidth, innerHeight],
  extent: root ? [root.scrollWidth, Math.max(root.scrollHeight, document.body ? document.body.scrollHeight : 0)] : [0, 0],
  scrollableX: Boolean(rootStyle) && !/hidden|clip/.test(rootStyle.overflowX) && !(bodyStyle && rootStyle.overflowX === "visible" && /hidden|clip/.test(bodyStyle.overflowX)),
  metaViewport: (document.querySelector('meta[name="viewport"]') || { content: "" }).content,
  styles,
  nodes,
  notes,
});
