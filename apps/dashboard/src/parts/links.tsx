import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

/** A button that opens a page: `<LinkButton to="/sends/$sendId" params={{ sendId }}>`. */
export const LinkButton = createLink((props: ButtonProps & ComponentPropsWithRef<'a'>) => (
  <Button component="a" {...props} />
));

/** A link within a text, to a page. */
export const TextLink = createLink((props: AnchorProps & ComponentPropsWithRef<'a'>) => (
  <Anchor {...props} />
));

/** A link within a notice, whose ground has a colour: it has the colour of the text, and a line. */
export const NoticeLink = createLink((props: AnchorProps & ComponentPropsWithRef<'a'>) => (
  <Anchor inherit c="inherit" underline="always" {...props} />
));
