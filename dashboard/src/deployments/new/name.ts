/** Names of deployments: which are valid, and a suggestion. */
import { repositoryName } from '../revisions/source-text.ts'

const NAME = /^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$/

export function nameProblem(name: string): string | undefined {
  if (NAME.test(name)) return undefined
  return '1 to 63 lower-case letters, digits, “-” and “_”, with a letter or digit at both ends.'
}

/** The name of the folder, file or repository. */
export function suggestedName(given: {
  from: 'folder' | 'tarball' | 'git'
  folder: { name: string } | undefined
  tarball: { name: string } | undefined
  url: string
}): string {
  const { from, folder, tarball, url } = given
  const name = {
    folder: folder?.name,
    tarball: tarball?.name.replace(/\.(tar\.gz|tgz)$/, ''),
    git: repositoryName(url.trim()).split('/').at(-1),
  }[from]
  return (name ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '')
    .slice(0, 63)
}
