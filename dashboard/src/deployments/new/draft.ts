/** What the user has entered and dropped for a deployment that is not sent yet. */
import type { Deployment, Secret } from '@runyard/client'
import { useState } from 'react'
import { type CheckedProject, CONFIG, checkProject } from './check.ts'
import { type FolderEntry, type SentFile, sentFiles } from './folder.ts'
import { nameProblem, suggestedName } from './name.ts'
import type { Wanted } from './send.ts'
import { isWellWritten, NO_SETTINGS, settingsOf, type WrittenSettings } from './settings-form.tsx'

export type From = 'folder' | 'tarball' | 'git'

export interface PickedFolder {
  name: string
  files: SentFile[]
  project: CheckedProject
}

interface Written {
  url: string
  ref: string
  isBuiltOnPush: boolean
  /** Undefined: the name of the source. */
  name: string | undefined
  configPath: string
  secrets: Secret[]
  settings: WrittenSettings
}

const NOTHING: Written = {
  url: '',
  ref: '',
  isBuiltOnPush: false,
  name: undefined,
  configPath: CONFIG,
  secrets: [],
  settings: NO_SETTINGS,
}

/** `givenName`: the deployment that gets a next revision; empty: a new one. */
export function useDraft(from: From, deployments: readonly Deployment[], givenName: string) {
  const [written, setWritten] = useState(NOTHING)
  const [folder, setFolder] = useState<PickedFolder>()
  const [tarball, setTarball] = useState<File>()
  const [readError, setReadError] = useState<{ from: From; error: unknown }>()
  const change = (part: Partial<Written>) => setWritten((before) => ({ ...before, ...part }))
  const { url } = written
  const name = written.name ?? (givenName || suggestedName({ from, folder, tarball, url }))
  const existing = deployments.find((one) => one.name === name)

  const takeFolder = async (picked: FolderEntry) => {
    setReadError(undefined)
    try {
      const files = await sentFiles(picked)
      const project = await checkProject(files, { isBuilt: isBuilt(written.settings) })
      setFolder({ name: picked.name, files, project })
      if (!project.problem) change({ configPath: project.configPath })
    } catch (error) {
      setReadError({ from, error })
    }
  }
  const takeTarball = (file: File) => {
    setReadError(undefined)
    setTarball(file)
  }
  const refuse = (reason: string) => setReadError({ from, error: new Error(reason) })
  const changeSettings = async (settings: WrittenSettings) => {
    change({ settings })
    if (!folder) return
    const project = await checkProject(folder.files, { isBuilt: isBuilt(settings) })
    setFolder({ ...folder, project })
  }
  const isSourceThere = {
    folder: folder !== undefined && !folder.project.problem,
    tarball: tarball !== undefined,
    git: url.trim() !== '',
  }[from]
  const problem = name === '' ? undefined : nameProblem(name)
  const isRepeatedGit = from === 'git' && existing !== undefined
  const isWritten = name !== '' && !problem && isWellWritten(written.settings)
  const wanted: Wanted = {
    name,
    secrets: written.secrets.filter((secret) => secret.name !== ''),
    settings: settingsOf(written.settings, existing?.source_config.resource_spec ?? {}),
    configPath: written.configPath,
    isNext: existing !== undefined,
  }
  return {
    written,
    change,
    changeSettings,
    folder,
    takeFolder,
    tarball,
    takeTarball,
    /** Rejects a dropped item that cannot be a source; shows the reason. */
    refuse,
    /** Why the dropped item was rejected. */
    readError: readError?.from === from ? readError.error : undefined,
    name,
    /** The problem with the name. */
    problem,
    existing,
    /** The deployment exists and is built from git; its next revisions start on its own page. */
    isRepeatedGit,
    isReady: isSourceThere && isWritten && !isRepeatedGit,
    wanted,
  }
}

export type Draft = ReturnType<typeof useDraft>

function isBuilt({ buildCommand }: WrittenSettings): boolean {
  return buildCommand === ''
}
