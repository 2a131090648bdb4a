import { Alert, List, Loader, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconPencil } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { FailureText } from '../../parts/error-state.tsx';
import type { Check, Remark } from './use-check.ts';
import { WORDS } from './words.ts';

const { check: WORD } = WORDS;

/** Shows what is not valid in a draft, what a reviewer would refuse, or that all is well. */
export function CheckPanel({ check, category }: { check: Check; category: string }): ReactNode {
  const { icon, color, title, content } = describe(check, category);
  return (
    <Alert
      icon={check.isBusy ? <Loader size={16} /> : icon}
      color={color}
      title={title}
      role="status"
      mb="md"
    >
      {content}
    </Alert>
  );
}

function describe({ broken, findings, failure, category: approved }: Check, category: string) {
  if (failure)
    return {
      icon: <IconAlertTriangle />,
      color: 'red',
      title: WORD.failed,
      content: <FailureText failure={failure} />,
    };
  if (broken.length > 0)
    return { icon: <IconPencil />, color: 'gray', title: WORD.broken(broken.length), content: null };
  if (approved !== undefined && approved !== category)
    return {
      icon: <IconCircleCheck />,
      color: 'yellow',
      title: WORD.moved(nameOf(approved)),
      content: <Findings findings={findings} />,
    };
  if (findings.length > 0)
    return {
      icon: <IconAlertTriangle />,
      color: 'orange',
      title: WORD.findings(findings.length),
      content: <Findings findings={findings} />,
    };
  return { icon: <IconCircleCheck />, color: 'teal', title: WORD.good, content: null };
}

function Findings({ findings }: { findings: readonly Remark[] }): ReactNode {
  return (
    <List size="sm" spacing={4}>
      {findings.map(({ field, message }) => (
        <List.Item key={`${field} ${message}`}>
          <Text size="sm">{message}</Text>
        </List.Item>
      ))}
    </List>
  );
}

function nameOf(category: string): string {
  return WORDS.categories[category as keyof typeof WORDS.categories] ?? category;
}
