/** `examples/oauth` with somebody who opens the link that its client prints. */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { endTogether } from '../processes/end-together.ts'
import { Person } from './person.ts'

const root = resolve(import.meta.dirname, '../../..')

/** What the agent server is told of the provider, which knows people by the names that they log in with. */
export function exampleEnvironment(provider: { url: string }): Record<string, string> {
  return { PROVIDER: 'github', SCOPES: 'openid read', USER_URL: `${provider.url}/me` }
}

/** Runs the client; answers what it prints, the link apart. */
export async function runOAuthExample(address: string): Promise<string> {
  const child = spawn(process.execPath, ['examples/oauth/client.ts', address], { cwd: root })
  endTogether(child, 'SIGKILL')
  let output = ''
  let asked = ''
  let consent: Promise<unknown> | undefined
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    asked += chunk
    const link = /^Open (\S+)\n/m.exec(asked)?.[1]
    if (link) consent ??= new Person('octocat').consent(link)
  })
  const code = await new Promise((settle) => child.once('close', settle))
  await consent
  if (code !== 0) throw new Error(`the client ended with ${code}: ${output}${asked}`)
  return output
}
