import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { MODE } from '../api/mode.ts'
import { IconButton } from '../design/button.tsx'
import { X } from '../design/icon.gen.tsx'
import { Logo } from './logo.tsx'
import { PLACES } from './places.tsx'
import { PlaceLink } from './rail.tsx'

/** The places in a drawer, if there is no room for the rail. */
export function PlacesDrawer({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(isStill) => !isStill && onClose()}
      isDismissable
      className="fixed inset-0 z-40 bg-veil"
    >
      <Modal className="h-dvh w-64 border-r border-line bg-raised">
        <Dialog aria-label="Places" className="outline-none">
          <header className="flex h-bar items-center justify-between px-4">
            <span className="flex items-center gap-2.5 font-semibold">
              <Logo />
              Runyard
            </span>
            <IconButton label="Close" icon={<X size={16} />} onPress={onClose} />
          </header>
          <nav aria-label="Places" className="space-y-0.5 p-2">
            {PLACES[MODE].map((place) => (
              <PlaceLink key={place.to} place={place} onPress={onClose} />
            ))}
          </nav>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
