import {
  type Icon,
  IconCopy,
  IconCornerUpLeft,
  IconExternalLink,
  IconList,
  IconMapPin,
  IconPhone,
  IconReceipt,
  IconShoppingBag,
  IconForms,
} from '@tabler/icons-react';
import type { RenderedButton } from '@signalbox/domain/chat/message';
import { type ReactNode, useState } from 'react';
import classes from './phone.module.css';
import { WORDS } from './words.ts';

const ICONS: Readonly<Record<string, Icon>> = {
  URL: IconExternalLink,
  PHONE_NUMBER: IconPhone,
  OTP: IconCopy,
  CATALOG: IconShoppingBag,
  CATALOG_ITEM: IconShoppingBag,
  FLOW: IconForms,
  ORDER_DETAILS: IconReceipt,
  REPLY: IconCornerUpLeft,
  QUICK_REPLY: IconCornerUpLeft,
  LOCATION_REQUEST: IconMapPin,
};

/** Types of buttons that write to the sender. */
const ANSWERS = new Set(['REPLY', 'QUICK_REPLY']);

interface PhoneButtonsProps {
  buttons: readonly RenderedButton[];
  /** Called with a tapped reply button; without it no button answers. */
  onTap?: ((button: RenderedButton) => void) | undefined;
}

/** Buttons below a message. */
export function PhoneButtons({ buttons, onTap }: PhoneButtonsProps): ReactNode {
  const shown = buttons.filter(({ otp_type }) => otp_type !== 'ZERO_TAP');
  return (
    <>
      {shown.map((button, i) => (
        <PhoneButton key={i} button={button} onTap={onTap} />
      ))}
      {shown.length < buttons.length && <p className={classes['note']}>{WORDS.zeroTap}</p>}
    </>
  );
}

function PhoneButton({
  button,
  onTap,
}: {
  button: RenderedButton;
  onTap: PhoneButtonsProps['onTap'];
}): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const { type, url, code } = button;
  const Symbol = ICONS[type] ?? IconList;
  const label = isCopied ? WORDS.copied : labelOf(button);
  const content = (
    <>
      <Symbol size={15} stroke={1.8} aria-hidden />
      <span dir="auto">{label}</span>
    </>
  );
  if (isSafe(url))
    return (
      <a
        className={classes['button']}
        href={url}
        target="_blank"
        rel="noreferrer noopener"
        title={WORDS.opens(url)}
      >
        {content}
      </a>
    );
  const act = actOf(button, onTap, code, setCopied);
  return act ? (
    <button type="button" className={classes['button']} onClick={act}>
      {content}
    </button>
  ) : (
    <span className={classes['button']} title={hintOf(button)}>
      {content}
    </span>
  );
}

function actOf(
  button: RenderedButton,
  onTap: PhoneButtonsProps['onTap'],
  code: string | undefined,
  setCopied: (isCopied: boolean) => void,
): (() => void) | undefined {
  if (ANSWERS.has(button.type)) return onTap && (() => onTap(button));
  if (code === undefined || code === '') return undefined;
  return () => {
    void navigator.clipboard?.writeText(code).then(() => setCopied(true));
  };
}

function labelOf({ type, text, otp_type }: RenderedButton): string {
  if (text !== '') return text;
  if (type === 'OTP') return otp_type === 'AUTO_FILL' ? WORDS.autofill : WORDS.copyCode;
  return type === 'CATALOG_ITEM' ? WORDS.catalogItem : '…';
}

function hintOf({ phone_number, url, type }: RenderedButton): string | undefined {
  if (type === 'LOCATION_REQUEST') return WORDS.sharesLocation;
  if (phone_number !== undefined) return WORDS.calls(phone_number.replace(/^\+/, ''));
  return url === undefined ? undefined : WORDS.opens(url);
}

function isSafe(url: string | undefined): url is string {
  return url !== undefined && /^https?:\/\//i.test(url) && !url.includes('{{');
}
