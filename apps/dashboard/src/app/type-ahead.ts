/** Time after which the field is not expected any more, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Collects the characters that are typed before a field that is opening has the focus. */
export class TypeAhead {
  private text = '';
  private ending = new AbortController();

  /** Collects from now on. The characters reach no field of the page; those of an open dialog are left to it. */
  begin(): void {
    this.take();
    this.ending = new AbortController();
    const signal = AbortSignal.any([this.ending.signal, AbortSignal.timeout(PATIENCE_MS)]);
    window.addEventListener('keydown', this.note, { capture: true, signal });
  }

  /** Ends the collecting, and returns what was collected since `begin`; nothing the second time. */
  take(): string {
    this.ending.abort();
    const { text } = this;
    this.text = '';
    return text;
  }

  private readonly note = (event: KeyboardEvent): void => {
    const { key, target } = event;
    const isInDialog = target instanceof Element && target.closest('[role=dialog]') !== null;
    if (key === 'Escape' || isInDialog) return void this.take();
    if (event.ctrlKey || event.metaKey || event.altKey || !(key === 'Backspace' || key.length === 1)) return;
    this.text = key === 'Backspace' ? this.text.slice(0, -1) : this.text + key;
    event.preventDefault();
    event.stopPropagation();
  };
}
