/** Debian's nginx as a reverse proxy, for comparison. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endTogether } from '../test/support/processes/end-together.ts'
import { freePort } from '../test/support/processes/free-port.ts'

const NGINX = '/usr/sbin/nginx'
const TRY_MS = 20

/** Why this machine has none. */
export const NO_NGINX = existsSync(NGINX) ? undefined : `there is no ${NGINX}`

/** One worker, since Runyard's gateway is one process; it keeps connections to `target` open. */
export async function startNginx(
  folder: string,
  target: string,
): Promise<{ url: string; pid: number; stop(): Promise<void> }> {
  const port = await freePort()
  const path = join(folder, 'nginx.conf')
  await writeFile(path, configuration(folder, port, new URL(target).host))
  const child = spawn(NGINX, ['-c', path, '-e', join(folder, 'error.log')], { stdio: 'inherit' })
  endTogether(child, 'SIGTERM')
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error('nginx ended before it listened.')
    await delay(TRY_MS)
  }
  return {
    url,
    // The worker is a child of this process.
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

function configuration(folder: string, port: number, target: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${join(folder, 'nginx.pid')};
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n  ')}
  upstream target { server ${target}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://target;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => (await response.text()) !== '',
    () => false,
  )
}
