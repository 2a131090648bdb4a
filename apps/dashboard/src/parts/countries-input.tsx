import { TagsInput, type TagsInputProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** A list of countries, as `IN`: what is typed in small letters becomes capital letters. */
export function CountriesInput({ onChange, ...input }: TagsInputProps): ReactNode {
  return <TagsInput {...input} onChange={(list) => onChange?.(list.map((each) => each.toUpperCase()))} />;
}
