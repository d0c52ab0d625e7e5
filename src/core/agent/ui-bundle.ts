/** The components of a graph, bundled for pages. */
export interface UiBundle {
  /** The global that the script makes; its `render` shows a component. */
  globalName: string
  /** By name: `entrypoint.js`, and `entrypoint.css` where there are styles. */
  files: ReadonlyMap<string, Uint8Array>
}
