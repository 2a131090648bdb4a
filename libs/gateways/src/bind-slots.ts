/** A bind slot of a gateway that this process holds. */
export interface Slot {
  /** Counted from 0. */
  index: number;
  /** Aborts when another process may hold the slot: the bind submits nothing more, and ends within 5 s. */
  lost: AbortSignal;
  /** Slots of the gateway that all processes together held when this one was last renewed, at least 1. */
  inUse(): number;
  /** Frees the slot for other processes. */
  release(): Promise<void>;
}

/** Leases bind slots of gateways among all processes. */
export interface BindSlots {
  /** @returns a free slot of `slots`; undefined when all are held */
  acquire(gateway: string, slots: number): Promise<Slot | undefined>;
}
