import { expect, test } from 'vitest'
import { filesIn } from './component-code.ts'

test('takes names of files from the HTML, and no addresses', () => {
  const html = `<link rel="stylesheet" href="http://127.0.0.1:1/agents/a/ui/chat/entrypoint.css" />
    <script src="//elsewhere.example/ui/chat/entrypoint.js" onload='x.render("a", "b")'></script>
    <script src="/v2/keys"></script><a href="/agents/a/.."></a><img src="/x/..%2f..%2fkeys.js">`
  expect(filesIn(html)).toEqual(['entrypoint.css', 'entrypoint.js'])
})
