import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { componentFrame, resolve } from './component-frame.ts'

/** The Runyard that `npm run dev` asks. */
const server = process.env.RUNYARD_URL ?? 'http://127.0.0.1:8124'

/** `agent-server`: it is one of `serve` or `dev`, and the app lies below /studio. */
const isAgentServer = process.env.RUNYARD_MODE === 'agent-server'

/** What a server answers by itself; everything else is a page of the app. */
const API = isAgentServer
  ? ['/assistants', '/threads', '/runs', '/store', '/ui', '/info', '/ok', '/openapi.json', '/docs']
  : ['/v1', '/v2', '/api-host', '/agents', '/ok', '/openapi.json', '/docs', '/metrics']

/** The server fills these in when it answers the built page; while developing, Vite does. */
const placeholders: Plugin = {
  name: 'runyard-placeholders',
  apply: 'serve',
  transformIndexHtml: (html) =>
    html
      .replace('%RUNYARD_BASE%', isAgentServer ? '/studio/' : '/')
      .replace('%RUNYARD_MODE%', isAgentServer ? 'agent-server' : 'control-plane')
      .replace('%RUNYARD_NONCE%', ''),
}

export default defineConfig({
  root: import.meta.dirname,
  // The page's <base> says where it lies: at the root, or below /studio.
  base: './',
  plugins: [react(), tailwindcss(), placeholders, componentFrame()],
  resolve,
  build: { outDir: 'dist', emptyOutDir: true, target: 'es2024', assetsInlineLimit: 0 },
  server: { proxy: Object.fromEntries(API.map((path) => [path, { target: server, ws: true }])) },
})
