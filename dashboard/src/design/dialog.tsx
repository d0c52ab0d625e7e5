import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { IconButton } from './button.tsx'
import { X } from './icon.gen.tsx'

/** A modal dialog, open while it is rendered with `isOpen`. */
export function Dialog(props: {
  title: string
  isOpen: boolean
  onClose: () => void
  /** `wide`: for editors and forms with columns. */
  size?: 'normal' | 'wide'
  children: ReactNode
}) {
  const width = props.size === 'wide' ? 'max-w-3xl' : 'max-w-lg'
  return (
    <ModalOverlay
      isOpen={props.isOpen}
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      isDismissable
      className="fixed inset-0 z-40 flex items-start justify-center overflow-y-auto bg-veil p-4 pt-[10vh]"
    >
      <Modal className={`w-full ${width} rounded-lg border border-line bg-raised shadow-overlay`}>
        <AriaDialog className="outline-none">
          <header className="flex items-center justify-between gap-4 border-b border-line px-4 py-3">
            <Heading slot="title" className="text-lg font-semibold">
              {props.title}
            </Heading>
            <IconButton label="Close" icon={<X size={16} />} onPress={props.onClose} />
          </header>
          <div className="p-4">{props.children}</div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** The row of buttons at a dialog's or a form's end. */
export function Actions({ children }: { children: ReactNode }) {
  return <div className="mt-4 flex flex-wrap justify-end gap-2">{children}</div>
}
