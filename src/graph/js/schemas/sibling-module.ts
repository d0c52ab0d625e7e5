/** The address of a module that lies beside another one, for a thread that begins there. */

/** `name` has no extension; `of` is `import.meta.url`. Modules are TypeScript in a clone, and JavaScript where they are compiled. */
export function siblingModule(name: string, of: string): URL {
  const extension = of.endsWith('.js') ? 'js' : 'ts'
  return new URL(`${name}.${extension}`, of)
}
