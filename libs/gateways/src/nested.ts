import { type ClassConstructor, Type, type TypeOptions } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, ValidateNested } from 'class-validator';

/** Requires an object that keeps the rules of a class. */
export function Nested(type: () => Function, options?: TypeOptions): PropertyDecorator {
  const rules = [Type(type, options), ValidateNested()]; // in the order in which decorators are applied
  return (target, property) => rules.forEach((decorate) => decorate(target, String(property)));
}

/** Selects the class of an object by its `type`. */
export function classByType(classes: Readonly<Record<string, ClassConstructor<unknown>>>): TypeOptions {
  const subTypes = Object.entries(classes).map(([name, value]) => ({ name, value }));
  return { discriminator: { property: 'type', subTypes } };
}

/** Requires a list of `min` (0 by default) to `max` objects, each of which keeps the rules of a class. */
export function NestedList(
  type: () => Function,
  { min = 0, max, ...options }: { min?: number; max: number } & TypeOptions,
): PropertyDecorator {
  const least = min > 0 ? [ArrayMinSize(min)] : [];
  const rules = [Type(type, options), ValidateNested({ each: true }), ArrayMaxSize(max), ...least, IsArray()];
  return (target, property) => rules.forEach((decorate) => decorate(target, String(property)));
}
