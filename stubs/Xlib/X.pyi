AnyPropertyType: int
NoEventMask: int
PropertyChangeMask: int
PropertyNotify: int
