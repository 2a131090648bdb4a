import type { ExecutionContext, INestApplication } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ModulesContainer } from '@nestjs/core';
import type { DtoClass } from './dto-plan.ts';

/** A parameter of a controller method. */
export interface Parameter {
  /** Its place among the parameters, from 0. */
  index: number;
  /** NaN for a decorator that is not one of Nest's. */
  kind: RouteParamtypes;
  type: DtoClass;
  /** Reads the value of a decorator that is not one of Nest's. */
  factory: ((data: unknown, context: ExecutionContext) => unknown) | undefined;
  /** Argument of the decorator, such as the name of a field. */
  data: unknown;
  /** Pipes of this parameter alone. */
  pipes: unknown[];
}

/** The metadata of a parameter in Nest. */
type Place = Omit<Parameter, 'kind' | 'type'>;

/** Lists the decorated parameters of a controller method. Nest keeps them by kind and position, as `4:1`. */
export function parametersOf(controller: Function, method: string): Parameter[] {
  const prototype = controller.prototype as object;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, prototype, method) ?? []) as DtoClass[];
  const places = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    Place
  >;
  return Object.entries(places).map(([place, { index, factory, data, pipes }]) => ({
    index,
    kind: Number(place.split(':', 1)[0]),
    type: types[index]!,
    factory,
    data,
    pipes,
  }));
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
