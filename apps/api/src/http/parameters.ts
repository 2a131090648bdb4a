import type { INestApplication } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ModulesContainer } from '@nestjs/core';
import type { DtoClass } from './dto-plan.ts';

/** A parameter of a controller method. */
export interface Parameter {
  /** NaN for a decorator that is not one of Nest's. */
  kind: RouteParamtypes;
  type: DtoClass;
}

/** Lists the decorated parameters of a controller method. Nest keeps them by kind and position, as `4:1`. */
export function parametersOf(controller: Function, method: string): Parameter[] {
  const prototype = controller.prototype as object;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, prototype, method) ?? []) as DtoClass[];
  const places = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as object;
  return Object.keys(places).map((place) => {
    const [kind, index] = place.split(':').map(Number);
    return { kind: kind!, type: types[index!]! };
  });
}

/** Lists the methods of all controllers. */
export function listMethods(app: INestApplication): { controller: Function; method: string }[] {
  return [...app.get(ModulesContainer).values()]
    .flatMap(({ controllers }) => [...controllers.values()])
    .flatMap(({ metatype }) => metatype ?? [])
    .flatMap((controller) =>
      Object.getOwnPropertyNames(controller.prototype).map((method) => ({ controller, method })),
    );
}
