/** The value of an input of the type `datetime-local` for an instant, in the zone of the viewer; empty without one. */
export function localInput(instant: string | undefined): string {
  const date = new Date(instant ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The instant of such an input; undefined while it is empty. */
export function instantOf(input: string): string | undefined {
  const date = new Date(input);
  return input === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
