/** Handles the change of a text input by its value: `onChange={onText(setName)}`. */
export function onText(
  change: (value: string) => void,
): (event: { currentTarget: { value: string } }) => void {
  return (event) => change(event.currentTarget.value);
}
