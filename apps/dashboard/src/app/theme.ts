import {
  Button,
  type CSSVariablesResolver,
  Card,
  type MantineColorsTuple,
  Modal,
  Notification,
  Paper,
  SegmentedControl,
  Table,
  Timeline,
  Tooltip,
  createTheme,
} from '@mantine/core';

/** The accent of the product, from light to dark. */
const SIGNAL: MantineColorsTuple = [
  '#e7f8fb',
  '#d3edf2',
  '#a9dbe5',
  '#7bc8d7',
  '#55b6ca',
  '#349bb1',
  '#1a8197',
  '#0b6475',
  '#074d5b',
  '#033742',
];

/** Dark surfaces with a breath of the accent. */
const DARK: MantineColorsTuple = [
  '#d5dbe0',
  '#b3bcc4',
  '#8e99a3',
  '#616d78',
  '#3a4550',
  '#2b353f',
  '#202932',
  '#171f27',
  '#10171e',
  '#0b1117',
];

export const THEME = createTheme({
  primaryColor: 'signal',
  primaryShade: { light: 7, dark: 6 },
  colors: { signal: SIGNAL, dark: DARK },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily:
    "'Inter', ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontFamilyMonospace:
    "ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.35' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  components: {
    Button: Button.extend({ defaultProps: { size: 'sm' } }),
    Card: Card.extend({ defaultProps: { withBorder: true, padding: 'lg', shadow: 'none' } }),
    Modal: Modal.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      styles: {
        title: { fontWeight: 620, lineHeight: 1.35, overflowWrap: 'anywhere' },
        header: { backgroundColor: 'inherit' },
      },
    }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } }),
    // not its own extend(): the first load has no password field
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { tabIndex: 0 } } },
    Paper: Paper.extend({ defaultProps: { bg: 'var(--sb-surface)' } }),
    SegmentedControl: SegmentedControl.extend({ styles: { root: { backgroundColor: 'var(--sb-track)' } } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 'xs', fz: 'sm' } }),
    Timeline: Timeline.extend({ styles: { itemTitle: { lineHeight: 1.35, overflowWrap: 'anywhere' } } }),
    // Arabic is written from the right
    Textarea: { defaultProps: { dir: 'auto' } },
    TextInput: { defaultProps: { dir: 'auto' } },
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 250, withArrow: true } }),
  },
});

/** Colours of alerts and badges. Their text in Mantine's light scheme has too little contrast (1.8 to 3.2 of 4.5). */
const TINTS = ['blue', 'gray', 'green', 'orange', 'red', 'teal', 'violet', 'yellow'];

/** Colours by meaning: a quiet text has enough contrast on the ground of the page, in both schemes. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#55616d',
    '--mantine-color-placeholder': '#55616d',
    '--sb-quiet': '#55616d',
    '--sb-bad': 'var(--mantine-color-red-8)',
    '--sb-line': '#dde3e7',
    '--sb-surface': '#ffffff',
    '--sb-ground': '#f7f9fa',
    '--sb-track': 'var(--mantine-color-gray-1)',
    ...Object.fromEntries(TINTS.flatMap(lightTintsOf)),
  },
  dark: {
    '--mantine-color-body': 'var(--mantine-color-dark-8)',
    '--mantine-color-dimmed': '#9aa6b1',
    '--mantine-color-placeholder': '#9aa6b1',
    '--sb-quiet': '#9aa6b1',
    '--sb-bad': 'var(--mantine-color-red-4)',
    '--sb-line': 'var(--mantine-color-dark-5)',
    '--sb-surface': 'var(--mantine-color-dark-7)',
    '--sb-ground': 'var(--mantine-color-dark-8)',
    '--sb-track': 'var(--mantine-color-dark-6)',
    // Mantine mixes them with black: grey is darker than the page then, and yellow glares
    ...Object.fromEntries(TINTS.flatMap(tintsOf)),
    '--mantine-color-signal-light': tintOf('signal'),
  },
});

/** Mantine's light tints of green and yellow glare where a whole alert has them. */
function lightTintsOf(name: string): [string, string][] {
  return [
    [`--mantine-color-${name}-light`, `color-mix(in srgb, var(--mantine-color-${name}-6) 13%, white)`],
    [`--mantine-color-${name}-light-color`, darken(name)],
  ];
}

function tintsOf(name: string): [string, string][] {
  return [
    [`--mantine-color-${name}-light`, tintOf(name)],
    [`--mantine-color-${name}-light-color`, `var(--mantine-color-${name}-2)`],
  ];
}

function tintOf(name: string): string {
  return `color-mix(in srgb, var(--mantine-color-${name}-6) 26%, var(--mantine-color-dark-7))`;
}

function darken(name: string): string {
  return `color-mix(in srgb, var(--mantine-color-${name}-9), #000 45%)`;
}
