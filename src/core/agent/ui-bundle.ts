/** The UI components of a graph, bundled for pages. */
export interface UiBundle {
  /** The global that the script defines. Its `render` shows a component. */
  globalName: string
  /** By file name: `entrypoint.js`, and `entrypoint.css` when there are styles. */
  files: ReadonlyMap<string, Uint8Array>
}
