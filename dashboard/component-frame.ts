/**
 * Builds the document of the frames that components of agents run in: one file with its script in it. It
 * has no origin, so that no browser would let it load a script of ours.
 */
import { join } from 'node:path'
import { build, type Plugin } from 'vite'

const FILE = 'component-frame.html'

/** Packages that the server uses too are found in its node_modules, where no React is. */
export const resolve = { dedupe: ['react', 'react-dom'] }

export function componentFrame(): Plugin {
  let frame: Promise<string>
  return {
    name: 'runyard-component-frame',
    buildStart() {
      frame = buildFrame()
      // It is awaited later.
      frame.catch(() => {})
    },
    async generateBundle() {
      this.emitFile({ type: 'asset', fileName: FILE, source: await frame })
    },
    configureServer({ middlewares }) {
      middlewares.use(async (request, response, next) => {
        if (!request.url?.split('?')[0]?.endsWith(`/${FILE}`)) return next()
        response.setHeader('content-type', 'text/html; charset=utf-8')
        response.end(await buildFrame())
      })
    },
  }
}

async function buildFrame(): Promise<string> {
  const result = await build({
    configFile: false,
    root: import.meta.dirname,
    publicDir: false,
    resolve,
    // It warns of "use client" in packages.
    logLevel: 'error',
    // The same React and the same JSX, whatever NODE_ENV says here.
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    build: {
      write: false,
      target: 'es2024',
      lib: {
        entry: join(import.meta.dirname, 'src/studio/component/frame.tsx'),
        formats: ['iife'],
        name: 'componentFrame',
      },
    },
  })
  const [{ output } = { output: [] }] = [result].flat().filter((one) => 'output' in one)
  const [script] = output
  if (script?.type !== 'chunk') throw new Error('The frame of components has no script.')
  return pageOf(script.code)
}

function pageOf(script: string): string {
  // These would end the script, or begin a comment in it.
  const inline = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '\\x3C!--')
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>A component of an agent</title>
    <style>
      body { margin: 0; font: 14px/1.5 system-ui, sans-serif; color: CanvasText; overflow-wrap: anywhere }
      #component { display: flow-root }
    </style>
  </head>
  <body>
    <div id="component"></div>
    <script>${inline}</script>
  </body>
</html>
`
}
