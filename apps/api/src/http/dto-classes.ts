import type { INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { planOf } from './dto-plan.ts';
import type { DtoClass } from './dto-plan.ts';

/** The classes of the bodies, queries and path parameters of every endpoint. */
export function listDtoClasses(app: INestApplication): DtoClass[] {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [
    ...module.controllers.values(),
  ]);
  const classes = controllers.flatMap(({ metatype }) =>
    metatype === null ? [] : parameterClasses(metatype),
  );
  return [...new Set(classes)];
}

function parameterClasses(controller: Function): DtoClass[] {
  const prototype = controller.prototype as object;
  return Object.getOwnPropertyNames(prototype).flatMap((method) => {
    const types = (Reflect.getMetadata('design:paramtypes', prototype, method) ?? []) as (
      | DtoClass
      | undefined
    )[];
    return types.filter((type) => type !== undefined && planOf(type).properties.length > 0) as DtoClass[];
  });
}
