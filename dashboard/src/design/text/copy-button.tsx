import { useEffect, useState } from 'react'
import { IconButton } from '../button.tsx'
import { Check, Copy } from '../icon.gen.tsx'

/** Copies `text` to the clipboard, and confirms it. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => setDone(false), 1_500)
    return () => clearTimeout(timer)
  }, [isDone])
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setDone(true)
  }
  return (
    <IconButton
      label={isDone ? 'Copied' : label}
      icon={isDone ? <Check size={14} className="text-good" /> : <Copy size={14} />}
      onPress={() => void copy()}
    />
  )
}
