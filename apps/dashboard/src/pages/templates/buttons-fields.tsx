import { ActionIcon, Button, Group, Menu, Select, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { MAX_BUTTON_LENGTH, OTP_TYPES } from '@signalbox/domain/templates/template';
import type { ReactNode } from 'react';
import { inputOf } from '../../parts/input-of.ts';
import { onText } from '../../parts/on-text.ts';
import { type DraftButton, newButton } from './draft.ts';
import type { SectionProps } from './fields.ts';
import { WORDS } from './words.ts';

const { editor: WORD } = WORDS;
const OTP_OPTIONS = OTP_TYPES.map((value) => ({ value, label: WORD.otpTypes[value] }));

interface ButtonsFieldsProps {
  buttons: readonly DraftButton[];
  onChange: (buttons: DraftButton[]) => void;
  /** Path of the list in the request. */
  path: string;
  types: readonly (keyof typeof WORD.buttonTypes)[];
  max: number;
  about: SectionProps['about'];
}

/** The buttons of a template or of a card. */
export function ButtonsFields({ buttons, onChange, path, types, max, about }: ButtonsFieldsProps): ReactNode {
  const change = (i: number, given: Partial<DraftButton>): void =>
    onChange(buttons.map((button, j) => (i === j ? { ...button, ...given } : button)));
  return (
    <Stack gap="sm">
      {buttons.map((button, i) => (
        <ButtonFields
          key={button.key}
          button={button}
          number={i + 1}
          about={(name, value) => about(`${path}[${i}]${name}`, value)}
          onChange={(given) => change(i, given)}
          onRemove={() => onChange(buttons.filter((_, j) => j !== i))}
        />
      ))}
      {buttons.length < max && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button
              variant="default"
              leftSection={<IconPlus size={16} />}
              style={{ alignSelf: 'flex-start' }}
            >
              {WORD.addButton}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {types.map((type) => (
              <Menu.Item key={type} onClick={() => onChange([...buttons, newButton(type)])}>
                {WORD.buttonTypes[type]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </Stack>
  );
}

interface ButtonFieldsProps {
  button: DraftButton;
  number: number;
  about: SectionProps['about'];
  onChange: (given: Partial<DraftButton>) => void;
  onRemove: () => void;
}

function ButtonFields({ button, number, about, onChange, onRemove }: ButtonFieldsProps): ReactNode {
  const title = WORD.buttonTypes[button.type as keyof typeof WORD.buttonTypes];
  return (
    <Stack
      gap={6}
      role="group"
      aria-label={`${number}. ${title}`}
      p="sm"
      bd="1px solid var(--sb-line)"
      bdrs="md"
    >
      <Group justify="space-between" fz="sm" fw={600} wrap="nowrap">
        {title}
        <ActionIcon variant="subtle" color="red" aria-label={WORD.removeButton(number)} onClick={onRemove}>
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
      {button.type === 'OTP' && (
        <Select
          label={WORD.buttonOtp}
          data={OTP_OPTIONS}
          value={button.otp_type}
          allowDeselect={false}
          onChange={(value) => onChange({ otp_type: value ?? 'COPY_CODE' })}
          error={about('.otp_type', button.otp_type)}
        />
      )}
      {button.otp_type !== 'ZERO_TAP' && (
        <TextInput
          label={WORD.buttonLabel}
          value={button.text}
          onChange={onText((text) => onChange({ text }))}
          error={about('.text', button.text) ?? about('', button.text) ?? about('.type', button.text)}
          maxLength={MAX_BUTTON_LENGTH}
        />
      )}
      <TargetField button={button} about={about} onChange={onChange} />
    </Stack>
  );
}

const TARGETS = {
  URL: { name: 'url', label: WORD.buttonUrl, placeholder: 'https://example.com/orders/{{1}}' },
  PHONE_NUMBER: { name: 'phone_number', label: WORD.buttonPhone, placeholder: '919800000100' },
  FLOW: { name: 'flow_id', label: WORD.buttonFlow, placeholder: '' },
} as const;

function TargetField({ button, about, onChange }: Omit<ButtonFieldsProps, 'number' | 'onRemove'>): ReactNode {
  const target = TARGETS[button.type as keyof typeof TARGETS] as
    | (typeof TARGETS)[keyof typeof TARGETS]
    | undefined;
  if (!target) return null;
  const { name, label, placeholder } = target;
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      {...inputOf({ draft: button, set: onChange, about }, name, `.${name}`)}
    />
  );
}
